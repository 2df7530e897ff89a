"""A search in texts without an index finds what an index of the same texts finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.base.errors import SettingError
from foretext.search.search_index import By
from foretext.search.text_search import TextVectors, search_texts
from tests.search.indexes import VECTORS, made

PASSAGES = [
    "The ship left the harbour.",
    "A wave, and then another wave.",
    "The judge knows the law.",
    "Room 4711 is closed.",
]


def vectors_of(query: str) -> TextVectors:
    query_vector, *others = VECTORS.embed([query, *PASSAGES])
    return TextVectors(query_vector, np.array(others))


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("by", ["vectors", "words", "both"])
@pytest.mark.parametrize("query", ["wave ship", "what is room 4711", "zebra", "closed", "the the"])
def test_it_finds_what_an_index_finds(tmp_path: Path, by: By, query: str) -> None:
    text = "\n".join(PASSAGES) + "\n"
    expected = made(tmp_path, text, settings={"weighting": "mean"}).search(query, 3, by=by)
    found = search_texts(query, PASSAGES, 3, by=by, vectors=vectors_of(query))
    assert found.notes == expected.notes
    assert [hit.row for hit in found] == [hit.row for hit in expected]
    for hit, other in zip(found, expected, strict=True):
        assert hit.text == other.text
        assert hit.score == pytest.approx(other.score, rel=1e-5)
        assert (hit.cosine is None, hit.bm25 is None) == (other.cosine is None, other.bm25 is None)


def test_a_place_is_the_number_of_a_text() -> None:
    found = search_texts("law", PASSAGES, by="words")
    assert [str(hit.place) for hit in found] == ["texts, row 3"]
    assert found.as_dict()["results"][0]["rows"] == [3, 3]


def test_nothing_is_found_in_nothing() -> None:
    assert list(search_texts("law", [], by="words")) == []
    empty = TextVectors(np.ones(2, np.float32), np.zeros((0, 2), np.float32))
    assert list(search_texts("law", [], by="both", vectors=empty)) == []


def test_less_than_one_text_is_refused() -> None:
    with pytest.raises(SettingError, match="at least one passage"):
        search_texts("law", PASSAGES, 0, by="words")
