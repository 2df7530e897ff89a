"""Passages: whole paragraphs where they fit, sentences where not, each at its place."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.base.errors import SettingError
from foretext.corpus.paragraphs import Paragraph
from foretext.search.cutting import Cutter


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def document(*lines: str) -> list[Paragraph]:
    found, at = [], 0
    for number, line in enumerate(lines):
        found.append(Paragraph(line, at, number + 1, begins=number == 0))
        at += len(line) + 1
    return found


def test_paragraphs_are_taken_together_as_long_as_they_fit() -> None:
    cut = Cutter(words, 5).passages(document("a b", "c d", "e f", "g"))
    assert [(each.text, each.first_line, each.last_line) for each in cut] == [
        ("a b\nc d", 1, 2), ("e f\ng", 3, 4),
    ]  # fmt: skip


def test_documents_never_share_a_passage() -> None:
    paragraphs = [*document("a"), *document("b")]
    assert [each.text for each in Cutter(words, 5).passages(paragraphs)] == ["a", "b"]


def test_a_long_paragraph_is_cut_at_its_sentences() -> None:
    text = "One two three.  Four five. Six seven eight nine."
    found = list(Cutter(words, 5).passages(document(text)))
    assert [each.text for each in found] == ["One two three. Four five.", "Six seven eight nine."]
    assert [text[each.start : each.end] for each in found] == [
        "One two three.  Four five.", "Six seven eight nine.",
    ]  # fmt: skip


def test_a_long_sentence_is_cut_between_words() -> None:
    found = Cutter(words, 3).passages(document("a b c d e f g"))
    assert [each.text for each in found] == ["a b c", "d e f", "g"]


def test_chinese_is_cut_at_its_marks_and_without_blanks() -> None:
    found = Cutter(characters, 6).passages(document("我喜欢海。我喜欢船和港口和大海的风。"))
    texts = [each.text for each in found]
    assert texts[0] == "我喜欢海。"
    assert "".join(texts) == "我喜欢海。我喜欢船和港口和大海的风。"
    assert all(len(text) <= 6 for text in texts)


def test_overlap_repeats_the_last_sentences() -> None:
    text = "We go. You sit. He runs. She eats. They sing."
    found = Cutter(words, 4, overlap=2).passages(document(text))
    assert [each.text for each in found] == [
        "We go. You sit.", "You sit. He runs.", "He runs. She eats.", "She eats. They sing.",
    ]  # fmt: skip


def test_overlap_never_makes_a_passage_too_long() -> None:
    found = Cutter(words, 4, overlap=3).passages(document("a b c", "d e", "f g h i"))
    assert [each.text for each in found] == ["a b c", "d e", "f g h i"]


def test_lines_of_a_wrapped_paragraph() -> None:
    paragraph = Paragraph("One two. Three four. Five.", 10, 7, True, (8, 20))
    found = Cutter(words, 2).passages([paragraph])
    assert [(each.first_line, each.last_line) for each in found] == [(7, 7), (8, 8), (9, 9)]


@pytest.mark.parametrize(
    ("length", "overlap", "said"),
    [(0, 0, "length = 0"), (5, 5, "overlap = 5: passages have 5"), (5, -1, "overlap = -1")],
)
def test_what_is_refused(length: int, overlap: int, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        Cutter(words, length, overlap)


@given(st.lists(st.text("ab .!?\u3002", min_size=1), max_size=8), st.integers(1, 9))
def test_nothing_but_blanks_is_lost(lines: list[str], length: int) -> None:
    bare = [line.strip() for line in lines if line.strip()]
    found = list(Cutter(words, length).passages(document(*bare)))
    whole = "\n".join(bare)
    assert "".join("".join(each.text.split()) for each in found) == "".join(whole.split())
    for each in found:
        assert "".join(whole[each.start : each.end].split()) == "".join(each.text.split())
