"""Words as points of a plane: the two principal components of their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.principal_components import principal_components
from foretext.vectors.word_vectors import WordVectors

__all__ = ["WordPoint", "word_map"]


class WordPoint(NamedTuple):
    """A word and its place; points that are near have vectors of similar direction."""

    word: str
    x: float
    y: float
    given: bool  # False: it is a neighbour of a word that was given


def word_map(vectors: WordVectors, words: Sequence[str], num_neighbors: int = 0) -> list[WordPoint]:
    """Return a point for each word, once, and for each of its nearest neighbours.

    The plane is that in which the vectors, of length 1, differ most; the same words always get the
    same points.

    Args:
        vectors: with the words.
        words: to show.
        num_neighbors: of each.

    Raises:
        UnknownWordError: a word is not in the vocabulary.
        SettingError: there is no word.
    """
    if not words:
        raise SettingError("A map needs at least one word; give words.")
    given = dict.fromkeys(map(vectors.spelled, words))
    near = vectors.neighbors(list(given), num_neighbors) if num_neighbors else []
    shown = [*dict.fromkeys([*given, *(word for found in near for word, _ in found)])]
    places = _plane(vectors[shown])
    return [
        WordPoint(word, x, y, word in given)
        for word, (x, y) in zip(shown, places.tolist(), strict=True)
    ]


def _plane(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the two principal components of rows (N, D) of any length, (N, 2)."""
    unit = unit_rows(rows)
    dim = min(2, unit.shape[1])
    centred = unit - unit.mean(axis=0, dtype=np.float64)
    found = principal_components(unit, dim, remove_mean=True)
    places = np.zeros((len(unit), 2))
    places[:, :dim] = centred @ found.directions
    return places
