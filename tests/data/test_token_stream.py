"""The stream of a text: separators after documents, rows end to end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream

STARTS = np.array([0, 3, 4, 9])
WHOLE = [1, 2, 3, 99, 4, 99, 5, 6, 7, 8, 9, 99]


@pytest.fixture
def stream() -> TokenStream:
    ids = np.arange(1, 10, dtype=np.uint16)
    return TokenStream(TokenFile(Path(), ids, STARTS, STARTS, 100), separator=99)


def test_separators_stand_after_documents(stream: TokenStream) -> None:
    assert len(stream) == len(WHOLE)
    assert stream.take(np.arange(len(WHOLE))).tolist() == WHOLE


def test_sentences_and_documents_of_places() -> None:
    ids, sentences = np.arange(1, 10, dtype=np.uint16), np.array([0, 2, 3, 4, 6, 9])
    found = TokenStream(TokenFile(Path(), ids, sentences, STARTS, 100), 99).whereabouts(
        np.arange(12).reshape(2, 6)
    )
    assert found.sentences.tolist() == [[0, 0, 1, 1, 2, 2], [3, 3, 4, 4, 4, 4]]
    assert found.documents.tolist() == [[0, 0, 0, 0, 1, 1], [2] * 6]
    assert found.separators.ravel().nonzero()[0].tolist() == [3, 5, 11]


def test_places_keep_their_shape(stream: TokenStream) -> None:
    places = np.array([[2, 3], [4, 5]])
    assert stream.take(places).tolist() == [[3, 99], [4, 99]]


def test_units_are_those_of_the_ids_and_a_separator_begins_one(stream: TokenStream) -> None:
    assert stream.take_units(np.arange(12)) is None
    ids, units = np.arange(1, 10, dtype=np.uint16), np.arange(9, dtype=np.uint8) % 4
    marked = TokenStream(TokenFile(Path(), ids, STARTS, STARTS, 100, units), separator=99)
    assert marked.take(np.arange(12)).tolist() == WHOLE
    found = marked.take_units(np.arange(12))
    assert found is not None
    assert found.tolist() == [0, 1, 2, 3, 3, 3, 0, 1, 2, 3, 0, 3]


@pytest.mark.parametrize("ahead", [0, 1])
@pytest.mark.parametrize("length", [2, 5, 11])
def test_rows_lie_end_to_end_and_within(stream: TokenStream, length: int, ahead: int) -> None:
    seen = set()
    for seed in range(20):
        starts = stream.row_starts(length, np.random.default_rng(seed), ahead=ahead)
        assert len(starts) == (len(stream) - ahead) // length
        assert set(np.diff(starts)) <= {length}
        assert starts[-1] + length + ahead <= len(stream)
        seen.add(int(starts[0]))
    assert len(seen) == 1 + (len(stream) - ahead) % length
