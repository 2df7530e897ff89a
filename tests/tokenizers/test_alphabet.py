"""Characters of words as ids."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.tokenizers.alphabet import (
    LONGEST_SPELLING,
    LONGEST_WORD,
    NUM_BYTES,
    Alphabet,
    folding_sentence,
    spelled,
)


def test_the_most_frequent_characters_come_first() -> None:
    alphabet = Alphabet.of(["abba", "bc"])
    assert (alphabet.characters, alphabet.num_ids) == ("bac", 5)


def test_words_are_spelled_out() -> None:
    rows = Alphabet("ab").spelled(["ab?", ""])
    assert rows.shape == (2, LONGEST_WORD)
    assert rows[0].tolist() == [2, 3, 1] + [0] * (LONGEST_WORD - 3)  # 1: unknown
    assert not rows[1].any()


def test_of_a_long_word_both_ends_are_read() -> None:
    row = Alphabet("abc").spelled(["a" * 10 + "c" * 9 + "b" * 10])[0]
    assert row.tolist() == [2] * 10 + [3] * 10


def test_no_words_have_no_rows() -> None:
    assert Alphabet("ab").spelled([]).shape == (0, LONGEST_WORD)


@pytest.mark.parametrize(
    ("settings", "form", "said"),
    [
        ({"lowercase": True}, "NFC", "all letters become lower case, accents stay, characters in"),
        ({"lowercase": False, "strip_accents": True}, "none", "case differ, accents are removed"),
        ({"lowercase": "auto"}, "NFKC", "nouns begin with a capital letter, accents stay, full-"),
        ({}, "NFC", "upper and lower case differ"),
    ],
)
def test_case_accents_and_width_are_named(
    settings: dict[str, bool | str], form: str, said: str
) -> None:
    assert said in folding_sentence(settings, form)


def test_a_word_is_its_bytes_between_marks() -> None:
    (row,) = spelled(["aé"])
    assert row[:6].tolist() == [0xFE, ord("a"), 0xC3, 0xA9, 0xFF, 0]
    assert row.shape == (LONGEST_SPELLING,)
    assert not row[6:].any()


def test_both_ends_of_a_long_word_are_spelled() -> None:
    word = "a" * 40 + "middle" + "b" * 40
    (row,) = spelled([word])
    assert row.all()
    assert bytes(row[1:-1]) == b"a" * 24 + b"b" * 24
    assert (row[0], row[-1]) == (0xFE, 0xFF)


def test_words_of_the_longest_length_are_whole() -> None:
    (row,) = spelled(["x" * (LONGEST_SPELLING - 2)])
    assert bytes(row) == b"\xfe" + b"x" * (LONGEST_SPELLING - 2) + b"\xff"


def test_every_script_has_ids_and_no_word_looks_like_a_mark() -> None:
    words = ["word", "слово", "字", "😀", "e\u0301", "\ud800"]  # the last one is half of a pair
    rows = spelled(words)
    assert len(np.unique(rows, axis=0)) == len(words)
    assert rows.max() < NUM_BYTES
    assert ((rows == 0xFE).sum(1) == 1).all()
    assert ((rows == 0xFF).sum(1) == 1).all()


def test_no_words_are_no_rows() -> None:
    assert spelled([]).shape == (0, LONGEST_SPELLING)
