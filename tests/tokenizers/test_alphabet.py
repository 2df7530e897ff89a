"""Characters of words as ids."""

from __future__ import annotations

from foretext.tokenizers.alphabet import LONGEST, Alphabet


def test_the_most_frequent_characters_come_first() -> None:
    alphabet = Alphabet.of(["abba", "bc"])
    assert (alphabet.characters, alphabet.num_ids) == ("bac", 5)


def test_words_are_spelled_out() -> None:
    rows = Alphabet("ab").spelled(["ab?", ""])
    assert rows.shape == (2, LONGEST)
    assert rows[0].tolist() == [2, 3, 1] + [0] * (LONGEST - 3)  # 1: unknown
    assert not rows[1].any()


def test_of_a_long_word_both_ends_are_read() -> None:
    row = Alphabet("abc").spelled(["a" * 10 + "c" * 9 + "b" * 10])[0]
    assert row.tolist() == [2] * 10 + [3] * 10


def test_no_words_have_no_rows() -> None:
    assert Alphabet("ab").spelled([]).shape == (0, LONGEST)
