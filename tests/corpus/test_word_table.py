from __future__ import annotations

import numpy as np
import pytest

from foretext.corpus.pre_tokenizers import PreTokenizer, PreTokenizerKind
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


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["unicode_words", "whitespace", "basic_english"])
def test_lines_and_documents_without_words_have_ends_too(kind: PreTokenizerKind) -> None:
    """The twin cuts lines by Python, and words line by line."""
    lines = ["one two", "?!", "Two \u8239", "", '"', "x" * 1001 + " one", "", "\u8239 it's", ""]
    lines = [*lines * 20, *map(str, range(70_000)), ""]  # more words than a new table has room for
    numbers: dict[str, int] = {}
    ids, line_ends, document_ends = list[int](), list[int](), list[int]()
    cutter = PreTokenizer(kind)
    for line in lines:
        if not line:
            document_ends.append(len(line_ends))
            continue
        words = cutter.words(line)
        ids += [0 if len(word) > 1000 else numbers.setdefault(word, len(numbers)) for word in words]
        line_ends.append(len(ids))
    table = WordTable()
    found = table.count_lines(cutter.utf8("\n".join(lines) + "\n"), cutter.letters)
    assert found.words.tolist() == ids
    assert found.line_ends.tolist() == line_ends
    assert found.document_ends.tolist() == document_ends
    assert len(table) == len(numbers)
    assert table.num_tokens == len(ids)
