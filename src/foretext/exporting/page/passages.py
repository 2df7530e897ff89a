"""The passages of an index on a page: their texts, where they stand, and their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.exporting.page.storage import Matrices
from foretext.messages import message
from foretext.progress import human_bytes
from foretext.search.search_index import SearchIndex
from foretext.search.vector_search import best_of
from foretext.vectors.neighbors import unit_rows

__all__ = ["MOST_BYTES", "NUM_HITS", "Hits", "PagePassages", "reads_by_network"]

PASSAGES = "passages.vectors"
MOST_BYTES = 128 << 20  # of passages: their texts, and a byte a number of their vectors
NUM_HITS = 10  # that are compared
QUERY = 80  # characters of a query that is compared

Hits = list[tuple[int, float]]  # rows of passages and their cosines, the best first


def reads_by_network(index: SearchIndex) -> bool:
    """Whether queries of an index are read by a network; False if it has no model.

    Raises:
        ModelFileError: its model is damaged, or another one.
    """
    return index.facts.model.kept is not None and index.model_kind.windows is not None


class PagePassages:
    """What a page has of an index beside the model that reads queries.

    Args:
        index: whose passages they are.
        name: that the page shows.
        vectors: (N, D); None: those of the index.

    Raises:
        SettingError: they are too large, or the index has no model.
        ModelFileError: a file of the index is damaged.
    """

    def __init__(
        self, index: SearchIndex, name: str, vectors: NDArray[np.float32] | None = None
    ) -> None:
        if vectors is None:
            _check(index, name)
        self.index, self.name = index, name
        self.vectors = index.unit_vectors() if vectors is None else vectors

    @property
    def num_bytes(self) -> int:
        """The size of texts, and of vectors at a byte a number."""
        return _num_bytes(self.index)

    @property
    def matrices(self) -> Matrices:
        """Their vectors, which may be stored in fewer bytes."""
        return {PASSAGES: self.vectors}

    def with_matrices(self, matrices: Matrices) -> PagePassages:
        """Return the same with other numbers."""
        return PagePassages(self.index, self.name, matrices[PASSAGES])

    @property
    def lists(self) -> Mapping[str, Sequence[Any]]:
        """The texts, and where each of them stands."""
        return {
            "passages": self.first(len(self.index)),
            "places": [_places(self.index, row) for row in range(len(self.index))],
        }

    @property
    def note(self) -> str:
        """Say what a visitor can read."""
        return message("exporting.remedy.passages", number=len(self.index))

    def first(self, number: int) -> list[str]:
        """Return the texts of the first passages."""
        return self.index.passages.texts(0, min(number, len(self.index)))

    def queries(self, number: int) -> list[str]:
        """Return the beginnings of passages that are drawn, the same every time."""
        drawn = np.random.default_rng(0).permutation(len(self.index))[:number].tolist()
        return [self.index.passages.text(row)[:QUERY] for row in sorted(drawn)]

    def found(self, queries: Sequence[str]) -> list[Hits]:
        """Return the best passages of each query, as the index finds them."""
        results = self.index.search(list(queries), NUM_HITS, exact=True)
        return [[(hit.row, hit.score) for hit in found] for found in results]

    def nearest(self, vectors: NDArray[np.float32]) -> list[Hits]:
        """Return the best passages of queries by their vectors.

        Args:
            vectors: (Q, D), of unit length or zeros.
        """
        unit = unit_rows(self.vectors)
        rows = np.flatnonzero(unit.any(axis=1))
        found: list[Hits] = []
        for vector in vectors:
            best = best_of(unit[rows] @ vector, NUM_HITS if vector.any() else 0)
            found.append(list(zip(rows[best.rows].tolist(), best.scores.tolist(), strict=True)))
        return found


def _num_bytes(index: SearchIndex) -> int:
    return index.passages.num_bytes + len(index) * index.facts.model.dim


def _check(index: SearchIndex, name: str) -> None:
    """Refuse an index that a page cannot hold.

    Raises:
        SettingError: it is too large, or has no model.
    """
    if (size := _num_bytes(index)) > MOST_BYTES:
        raise SettingError(
            message(
                "exporting.refusal.passages",
                most=human_bytes(MOST_BYTES),
                name=name,
                size=human_bytes(size),
            )
        )
    if index.facts.model.kept is None:
        raise SettingError(message("exporting.refusal.no_model", name=name))


def _places(index: SearchIndex, row: int) -> dict[str, Any]:
    """Return where a passage stands, as JSON of a server has it."""
    first, *others = (place.as_dict() for place in index.passages.places(row))
    return {**first, "others": others}
