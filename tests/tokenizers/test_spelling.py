"""Words as bytes: between marks, cut in the middle, in any script."""

from __future__ import annotations

import numpy as np

from foretext.tokenizers.spelling import LONGEST, NUM_BYTES, spelled


def test_a_word_is_its_bytes_between_marks() -> None:
    (row,) = spelled(["aé"])
    assert row[:6].tolist() == [0xFE, ord("a"), 0xC3, 0xA9, 0xFF, 0]
    assert row.shape == (LONGEST,)
    assert not row[6:].any()


def test_of_a_long_word_both_ends_are_read() -> None:
    word = "a" * 40 + "middle" + "b" * 40
    (row,) = spelled([word])
    assert row.all()
    assert bytes(row[1:-1]) == b"a" * 24 + b"b" * 24
    assert (row[0], row[-1]) == (0xFE, 0xFF)


def test_words_of_the_longest_length_are_whole() -> None:
    (row,) = spelled(["x" * (LONGEST - 2)])
    assert bytes(row) == b"\xfe" + b"x" * (LONGEST - 2) + b"\xff"


def test_every_script_has_ids_and_no_word_looks_like_a_mark() -> None:
    words = ["word", "слово", "字", "😀", "e\u0301", "\ud800"]  # the last one is half of a pair
    rows = spelled(words)
    assert len(np.unique(rows, axis=0)) == len(words)
    assert rows.max() < NUM_BYTES
    assert ((rows == 0xFE).sum(1) == 1).all()
    assert ((rows == 0xFF).sum(1) == 1).all()


def test_no_words_are_no_rows() -> None:
    assert spelled([]).shape == (0, LONGEST)
