from __future__ import annotations

import random

import pytest

from foretext.corpus.duplicates import Document
from foretext.corpus.findings import Place
from foretext.corpus.near_duplicates import NearDuplicates

WORDS = [f"word{number}" for number in range(2000)]


def locate(text: str, at: int = 0, *, first: bool = False) -> Place:
    return Place(file="a.txt", line=len(text))


def document(words: list[str]) -> Document:
    return Document.of(" ".join(words), words)


def random_documents(number: int, length: int = 50) -> list[list[str]]:
    generator = random.Random(0)
    return [generator.choices(WORDS, k=length) for _ in range(number)]


def test_near_duplicates_are_found_and_exact_ones_are_not() -> None:
    documents = random_documents(300)
    changed = [[*words[:25], "changed", *words[26:]] for words in documents[:60]]
    near = NearDuplicates()
    near.add([document(words) for words in documents], locate)
    near.add([document(words) for words in (*documents[:100], *changed)], locate)
    found = near.found()
    assert found.duplicates > 40
    assert 300 < found.documents <= 360
    assert len(found.examples) == len(found.places) == 5


def test_different_and_short_documents_are_no_near_duplicates() -> None:
    near = NearDuplicates()
    near.add([document(words) for words in random_documents(500)], locate)
    near.add([document(["short", "text"])] * 50, locate)
    near.add([], locate)
    assert (near.found().documents, near.found().duplicates) == (500, 0)


def test_pairs_are_sampled_together() -> None:
    near = NearDuplicates(most_sampled=200)
    documents = random_documents(4000)
    near.add([document(words) for words in documents], locate)
    near.add([document([*words[:-1], "end"]) for words in documents], locate)
    found = near.found()
    assert found.documents <= 250
    assert found.rate == pytest.approx(0.5, abs=0.1)  # all of the second half are


def test_one_text_over_and_over_with_a_number_ends() -> None:
    near = NearDuplicates(most_sampled=100)
    template = WORDS[:40]
    near.add([document([*template, str(number)]) for number in range(2000)], locate)
    assert near.found().rate > 0.9
