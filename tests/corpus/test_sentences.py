from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.sentences import split_sentences

SENTENCES = [
    ["It rains.", "We stay."],
    ["Really?!", "Yes!", "Good..."],
    ["He met Mr. Smith and Dr. Jones.", "They talked."],
    ["J. R. R. Tolkien wrote it.", "George W. Bush did not."],
    ["The U.S. Army came.", "It left the U.S.", "The rest stayed."],
    ["It cost 3.5 million.", "That was in 1999.", "Next year it cost more."],
    ["See No. 5 and Fig. 3.", "He said no.", "Then he left."],
    ["Apple Inc. Chairman Levinson spoke.", "He left Apple Inc.", "They missed him."],
    ['"Go!" she said.', '"Why?"', "He went."],
    ["He said “stop.”", "She stopped."],
    ["They meet at 5 p.m. Monday.", "Bring e.g. Bread."],
    ["Yahoo! is a company.", "It was founded in 1994."],
    ["He wrote for example.com.", "She read it."],
    ["Ça va.", "Écoute!", "¿Qué pasa?", "Nada."],
]


@pytest.mark.parametrize("sentences", SENTENCES, ids=lambda sentences: sentences[0])
def test_english(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)).split("\n") == sentences


def test_a_number_at_the_head_of_a_line_is_no_sentence() -> None:
    text = "1. Introduction\n2. Methods. We count."
    assert split_sentences(text) == "1. Introduction\n2. Methods.\nWe count."


def test_chinese_and_japanese() -> None:
    assert split_sentences("你好。我很好！“是吗？”他问。") == "你好。\n我很好！\n“是吗？”\n他问。"
    assert split_sentences("我很好!“是吗?”他问!OK?") == "我很好!\n“是吗?”\n他问!OK?"
    assert split_sentences("彼は「はい。」と言った。") == "彼は「はい。」\nと言った。"


def test_arabic_and_hindi() -> None:
    assert split_sentences("كيف حالك؟ أنا بخير.") == "كيف حالك؟\nأنا بخير."
    assert split_sentences("नमस्ते। आप कैसे हैं।") == "नमस्ते।\nआप कैसे हैं।"


def test_tokenised_lower_case_text_ends_at_a_full_stop_by_itself() -> None:
    assert split_sentences("mr. smith left . he slept .") == "mr. smith left .\nhe slept ."


def test_line_ends_stay_and_documents_too() -> None:
    text = "One. Two.\nThree.\n\nFour.\n\n"
    assert split_sentences(text) == "One.\nTwo.\nThree.\n\nFour.\n\n"


@given(st.text(alphabet='aB1.?!。？”" \n\u3000', max_size=40))
def test_nothing_but_white_space_changes_and_no_line_becomes_empty(text: str) -> None:
    split = split_sentences(text)
    assert "".join(split.split()) == "".join(text.split())
    blank = [sum(not line.strip() for line in each.split("\n")) for each in (text, split)]
    assert blank[0] == blank[1]
