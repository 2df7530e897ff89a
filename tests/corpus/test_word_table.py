from __future__ import annotations

import numpy as np

from foretext.corpus.pre_tokenizers import PreTokenizer
from foretext.corpus.word_table import WordTable

LETTERS = PreTokenizer("whitespace").letters


def utf8(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def test_numbering_grows_the_table() -> None:
    numbers = np.random.default_rng(0).permutation(np.arange(200_000) % 100_000)
    _, first, places = np.unique(numbers, return_index=True, return_inverse=True)
    table = WordTable()
    assert len(table.arrays.hashes) < 100_000
    found = table.number(utf8(" ".join(map(str, numbers))), LETTERS)
    assert found is not None
    assert len(table) == 100_000
    assert (found.words == np.argsort(np.argsort(first))[places]).all()  # in the order met
    assert table.words(np.array([0, 99])) == [
        str(number).encode() for number in numbers[np.sort(first)[[0, 99]]]
    ]


def test_a_full_table_says_so() -> None:
    table = WordTable(max_words=2)
    assert table.number(utf8("a b c"), LETTERS) is None
    found = table.number(utf8("b\n\na"), LETTERS)
    assert found is not None
    assert [array.tolist() for array in found] == [[1, 0], [0, 1], [0, 1]]
