from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from foretext.corpus.duplicates import ExactDuplicates, document_digests
from foretext.corpus.findings import Place


class Documents:
    """Texts in a list."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def document(self, number: int) -> str:
        return self.texts[number]

    def place(self, number: int) -> Place:
        return Place(file="a.txt", line=number + 1)


def added(exact: ExactDuplicates, texts: list[str]) -> None:
    exact.add(document_digests(texts), Documents(texts))


def test_exact_duplicates_are_counted_and_shown() -> None:
    exact = ExactDuplicates()
    added(exact, ["one", "two", " one ", "one\n", "three"])
    added(exact, ["four", "two"])
    found = exact.found()
    assert (found.documents, found.duplicates, found.rate) == (7, 3, 3 / 7)
    assert found.examples == ["one", "two"]
    assert found.places == [Place(file="a.txt", line=3), Place(file="a.txt", line=2)]


def test_five_examples_are_enough() -> None:
    exact = ExactDuplicates()
    texts = [str(number) for number in range(9)]
    added(exact, texts)
    added(exact, texts)
    added(exact, texts)
    assert exact.found().examples == texts[:5]
    assert exact.found().duplicates == 18


def test_exact_duplicates_are_estimated_in_bounded_memory() -> None:
    exact = ExactDuplicates(most_hashes=500)
    for first in range(0, 10_000, 100):
        added(exact, [str(number % 8000) for number in range(first, first + 100)])
    found = exact.found()
    assert found.documents <= 500
    assert found.rate == pytest.approx(0.2, abs=0.06)


def test_parts_and_their_order_change_nothing() -> None:
    texts = [str(number * number % 3001) for number in range(6000)]
    found = []
    for size, step in ((6000, 1), (100, 1), (7, -1)):
        exact = ExactDuplicates(most_hashes=500)
        for first in range(0, len(texts), size):
            added(exact, texts[::step][first : first + size])
        found.append((exact.found().documents, exact.found().duplicates))
    assert found[0] == found[1] == found[2]


def test_one_text_over_and_over_ends() -> None:
    exact = ExactDuplicates(most_hashes=50)
    added(exact, ["same"] * 1000)
    assert exact.found().documents == 0


def test_hashes_are_halved_and_compared_where_they_are() -> None:
    most = 1 << 16
    exact = ExactDuplicates(most_hashes=most)
    documents = Documents(["text"])
    digests = np.arange(most, dtype=np.uint64) << np.uint64(48)
    tracemalloc.start()
    try:
        exact.add(digests, documents)
        exact._remembered.clear()  # has a bound of its own
        tracemalloc.reset_peak()
        held = tracemalloc.get_traced_memory()[0]
        exact.add(np.zeros(1, np.uint64), documents)  # one too many
        assert tracemalloc.get_traced_memory()[1] - held < 8 * most
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        assert exact.found().duplicates == 1
        assert tracemalloc.get_traced_memory()[1] - held < 2 * most
    finally:
        tracemalloc.stop()
