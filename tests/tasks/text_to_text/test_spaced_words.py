"""Texts into words and marks, and the blanks between these."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foretext.tasks.text_to_text.spaced_words import Piece, Spacing, WordSplitter

ENGLISH = ["Two men, one old (70?), wait.", "A dog's ball: red.", "He (the boy) sits."]
CHINESE = ["两个男人在等，其中一个很老。", "一只狗的球是红色的，在 Berlin 和 Paris。"]


def rebuilt(pieces: list[Piece]) -> str:
    return "".join(" " * piece.follows_blank + piece.text for piece in pieces)


def test_english_is_split_into_words_and_marks() -> None:
    pieces = WordSplitter(ENGLISH).pieces("A dog's ball: red.")
    assert [piece.text for piece in pieces] == ["A", "dog", "'", "s", "ball", ":", "red", "."]
    assert [piece.text for piece in pieces if piece.is_mark] == ["'", ":", "."]
    assert rebuilt(pieces) == "A dog's ball: red."


@given(st.text(alphabet="aÄß3 .,'\u0938\u0947\u4e00\u4e8c", max_size=30))
def test_nothing_but_blanks_is_lost(text: str) -> None:
    for splitter in (WordSplitter(ENGLISH), WordSplitter(CHINESE)):
        whole = "".join(piece.text for piece in splitter.pieces(text))
        assert whole == "".join(text.split())


def test_words_of_other_scripts_keep_their_marks() -> None:
    hindi = "दो आदमी बैठे हैं"
    assert [piece.text for piece in WordSplitter([hindi]).pieces(hindi)] == hindi.split()


def test_chinese_is_split_into_the_words_of_jieba() -> None:
    pytest.importorskip("jieba")
    splitter = WordSplitter(CHINESE)
    assert not splitter.has_blanks
    pieces = splitter.pieces("两只狗在雪地里，玩耍 ok。")
    assert [piece.text for piece in pieces][-5:] == ["里", "，", "玩耍", "ok", "。"]
    assert rebuilt(pieces) == "两只狗在雪地里，玩耍 ok。"


def test_characters_are_words_where_jieba_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foretext.corpus.pre_tokenizers.is_jieba_installed", lambda: False)
    pieces = WordSplitter(CHINESE).pieces("两只 dogs。")
    assert [piece.text for piece in pieces] == ["两", "只", "dogs", "。"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("men", "wait", True),
        ("men", ",", False),
        (",", "one", True),
        ("(", "the", False),
        ("old", "(", True),
        ("'", "s", False),
        ("men", "%", True),  # never seen
    ],
)
def test_blanks_are_those_of_the_texts(first: str, second: str, expected: bool) -> None:
    splitter = WordSplitter(ENGLISH)
    assert Spacing(map(splitter.pieces, ENGLISH)).needs_blank(first, second) is expected


def test_chinese_has_blanks_between_foreign_words_alone() -> None:
    splitter = WordSplitter(CHINESE)
    spacing = Spacing(map(splitter.pieces, CHINESE))
    assert not spacing.needs_blank("男人", "等")
    assert not spacing.needs_blank("男人", "Berlin")
    assert not spacing.needs_blank("男人", "。")
    assert spacing.needs_blank("New", "York")
