"""Raw texts as tokens with offsets."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.corpus.text_tokens import joined_tokens, split_text
from foretext.data.rows import read_tagged


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Peter lives in Brussels.", "Peter lives in Brussels ."),
        ("(He said: 'no!')", "( He said : ' no ! ' )"),
        ("Anglo-American, don't; AT&T", "Anglo-American , don't ; AT&T"),
        ("1,000.5 at 12:30, 3/4 or a/b", "1,000.5 at 12:30 , 3/4 or a / b"),
        ("The U.S. and J.F.K.", "The U.S. and J.F.K."),
        ("J. Smith has vitamin C. it", "J. Smith has vitamin C . it"),
        ("Brussels's mayor, I'm 'so ... --", "Brussels 's mayor , I 'm ' so ... --"),
        ("two\u3000blanks \n here", "two blanks here"),
        ("我爱北京,2020年U.S.", "我 爱 北 京 , 2020 年 U.S."),
        ("नमस्ते दुनिया।", "नमस्ते दुनिया ।"),
        ("e\u0301te\u0301 ❤\ufe0f", "e\u0301te\u0301 ❤\ufe0f"),
        ("", ""),
    ],
)
def test_words_and_marks_stand_apart(text: str, tokens: str) -> None:
    assert [token.text for token in split_text(text)] == tokens.split()


def test_characters_alone() -> None:
    tokens = split_text("2 岁 ok", by_character=True)
    assert [token.text for token in tokens] == ["2", "岁", "o", "k"]


@given(st.text(), st.booleans())
def test_offsets_reproduce_the_text(text: str, by_character: bool) -> None:
    tokens = split_text(text, by_character=by_character)
    assert all(text[token.start : token.end] == token.text != "" for token in tokens)
    starts = [edge for token in tokens for edge in (token.start, token.end)]
    assert starts == sorted(starts)
    kept = {place for token in tokens for place in range(token.start, token.end)}
    left_out = [character for place, character in enumerate(text) if place not in kept]
    assert all(c.isspace() or unicodedata.category(c) == "Cc" for c in left_out)


def test_tokens_have_the_places_of_their_join() -> None:
    words = ["Peter", "", "Blackburn", "."]
    joined = " ".join(words)
    found = joined_tokens(words)
    assert [joined[token.start : token.end] for token in found] == words


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "by_character", "least"),
    [("conll2003/eng.testb", False, 0.99), ("msra_ner/msra.test.txt.xz", True, 1.0)],
)
def test_joined_sentences_come_apart_again(
    shared_data: Path, name: str, by_character: bool, least: float
) -> None:
    blank = "" if by_character else " "
    num_tokens = num_missing = 0
    for sentence in read_tagged(shared_data / name):
        found = split_text(blank.join(sentence.tokens), by_character=by_character)
        missing = Counter(sentence.tokens) - Counter(token.text for token in found)
        num_tokens, num_missing = num_tokens + len(sentence.tokens), num_missing + missing.total()
    assert 1 - num_missing / num_tokens >= least
