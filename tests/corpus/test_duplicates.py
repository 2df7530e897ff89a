from __future__ import annotations

import pytest

from foretext.corpus.duplicates import Document, ExactDuplicates
from foretext.corpus.findings import Place


def locate(text: str, at: int = 0, *, first: bool = False) -> Place:
    return Place(file="a.txt", line=len(text))


def test_exact_duplicates_are_counted_and_shown() -> None:
    exact = ExactDuplicates()
    for text in ("one", "two", " one ", "one\n", "three"):
        exact.add(Document.of(text, text.split()), locate)
    found = exact.found()
    assert (found.documents, found.duplicates, found.rate) == (5, 2, 0.4)
    assert found.examples == ["one"]
    assert found.places == [Place(file="a.txt", line=5)]


def test_exact_duplicates_are_estimated_in_bounded_memory() -> None:
    exact = ExactDuplicates(most_hashes=500)
    for number in range(10_000):
        exact.add(Document.of(str(number % 8000), []), locate)
    found = exact.found()
    assert found.documents <= 500
    assert found.rate == pytest.approx(0.2, abs=0.06)
