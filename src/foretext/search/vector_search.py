"""The search by vectors: through a graph of neighbours where there is one, or through them all.

The vectors of the passages, which stay on disk, and the exact search through them. They have unit
length, up to a scale a row: in float16 and int8 the scale makes up for what rounding did to the
length, and it is 0 where a passage has no vector. So every score is a cosine.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.config import whole_number
from foretext.base.errors import ModelFileError
from foretext.base.parsing import map_tensors, write_tensors
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.vectors.neighbor_graph import NeighborGraph, is_usearch_installed
from foretext.vectors.neighbors import Nearest, inverse_norms, search
from foretext.vectors.storage import StorageType, pack_vectors

__all__ = ["StoredVectors", "VectorSearch", "stored_rows", "write_vectors"]

TILE = 1 << 13  # rows that are turned into float32 together
LARGEST_HEAP = 1000  # results a query up to which many queries are searched together


class VectorSearch:
    """Finds passages by cosine; all cosines are exact, a graph may only miss a passage."""

    def __init__(self, folder: IndexFolder, facts: IndexFacts) -> None:
        self._folder, self._facts = folder, facts

    @property
    def has_graph(self) -> bool:
        """Whether there is a graph of neighbours."""
        return self._folder.graph.is_file()

    @property
    def is_approximate(self) -> bool:
        """Whether it is searched: usearch is installed, too."""
        return self.has_graph and is_usearch_installed()

    @cached_property
    def vectors(self) -> StoredVectors:
        """Those of all passages."""
        return StoredVectors(self._folder, self._facts)

    def nearest(self, queries: NDArray[np.float32], k: int, *, exact: bool) -> list[Nearest]:
        """Return the `k` passages nearest to each query (Q, D), of unit length or zeros.

        Passages without a vector are left out; queries without one find nothing.

        Raises:
            ModelFileError: the vectors or the graph are damaged.
        """
        if exact or not self.is_approximate:
            found = self.vectors.nearest(queries, k)
        else:
            found = [self._by_graph(query, k) for query in queries]
        return [
            near if query.any() else Nearest(near.rows[:0], near.scores[:0])
            for query, near in zip(queries, found, strict=True)
        ]

    def graph_recall(self, num_queries: int, k: int, seed: int) -> float:
        """Return the share of the `k` exact neighbours of drawn passages that the graph finds."""
        generator = np.random.default_rng(whole_number(seed, "seed", least=0))
        drawn = generator.permutation(len(self.vectors))[:num_queries]
        queries = self.vectors.rows(np.sort(drawn))
        queries = queries[queries.any(axis=1)]
        exact = self.vectors.nearest(queries, k)
        found = [self._by_graph(query, k) for query in queries]
        num_found = sum(np.isin(a.rows, b.rows).sum() for a, b in zip(exact, found, strict=True))
        return float(num_found / max(sum(len(near.rows) for near in exact), 1))

    def _by_graph(self, query: NDArray[np.float32], k: int) -> Nearest:
        rows = self._graph.nearest(query, k)
        rows = rows[(rows >= 0) & (rows < len(self.vectors))]
        rows = rows[self.vectors.scales[rows] != 0]
        scores = self.vectors.cosines(rows, query)
        order = np.lexsort((rows, -scores))
        return Nearest(rows[order], scores[order])

    @cached_property
    def _graph(self) -> NeighborGraph:
        dim = self._facts.model.dim
        graph = NeighborGraph.load(self._folder.graph, dim)
        rows = graph.sampled()
        fits = graph.is_of(len(self.vectors), dim)
        if not (fits and graph.holds(rows, self.vectors.rows(rows))):
            raise ModelFileError(
                f"{self._folder.graph} is the graph of other vectors; remove it, or make the index "
                "again with --overwrite."
            )
        return graph


class StoredVectors:
    """Vectors (N, D) of the passages.

    Raises:
        ModelFileError: the file is missing or damaged.
    """

    def __init__(self, folder: IndexFolder, facts: IndexFacts) -> None:
        expected = {"vectors": (facts.dtype, 2), "scales": ("float32", 1)}
        tensors = map_tensors(folder.embeddings, ModelFileError, expected)
        self.vectors = tensors["vectors"]  # (N, D)
        self.scales: NDArray[np.float32] = np.array(tensors["scales"])  # (N,)
        if self.vectors.shape != (facts.passages, facts.model.dim) or len(self.scales) != len(
            self.vectors
        ):
            raise ModelFileError(
                f"{folder.embeddings} is damaged: it has {self.vectors.shape} numbers for "
                f"{facts.passages:,} passages; make the index again with --overwrite."
            )

    def __len__(self) -> int:
        return len(self.vectors)

    def rows(self, rows: NDArray[np.int64] | slice) -> NDArray[np.float32]:
        """Return vectors (R, D) of unit length; zeros of passages without one."""
        unit: NDArray[np.float32] = self.vectors[rows].astype(np.float32)
        unit *= self.scales[rows, None]
        return unit

    def cosines(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosines (R,) of some passages with `query` (D,), of unit length."""
        return (self.vectors[rows].astype(np.float32) @ query) * self.scales[rows]

    def nearest(self, queries: NDArray[np.float32], k: int) -> list[Nearest]:
        """Return the `k` nearest passages of each query (Q, D), of unit length: the exact search.

        Passages without a vector are left out.
        """
        if len(queries) == 1 or k > LARGEST_HEAP:
            found = [self._nearest(query, k) for query in queries]
        else:
            both = search(self.vectors, self.scales, queries, k)
            found = [Nearest(*pair) for pair in zip(both.rows, both.scores, strict=True)]
        return [_without(near, self.scales) for near in found]

    def _nearest(self, query: NDArray[np.float32], k: int) -> Nearest:
        scores = np.empty(len(self), np.float32)
        for start in range(0, len(self), TILE):
            part = slice(start, start + TILE)
            scores[part] = self.vectors[part].astype(np.float32, copy=False) @ query
        scores *= self.scales
        scores[~np.isfinite(scores)] = -np.inf  # of a damaged file
        return best_of(scores, k)


def best_of(scores: NDArray[np.float32], k: int) -> Nearest:
    """Return the rows of the `k` highest scores (N,), best first; of equal ones the lower row."""
    k = min(k, len(scores))
    if k == 0:
        return Nearest(np.empty(0, np.int64), np.empty(0, np.float32))
    least = np.partition(scores, -k)[-k]
    rows = np.flatnonzero(scores >= least)
    order = np.lexsort((rows, -scores[rows]))[:k]
    return Nearest(rows[order], scores[rows[order]])


def stored_rows(unit: NDArray[np.float32], dtype: StorageType) -> NDArray[Any]:
    """Return rows (R, D) of unit length as they are stored."""
    packed = pack_vectors(unit, dtype)
    return packed["codes" if dtype == "int8" else "vectors"]


def write_vectors(path: Path, vectors: NDArray[Any]) -> None:
    """Write stored rows (N, D), which may be a mapped file, with their scales.

    Raises:
        OutputError: the file cannot be written.
    """
    scales = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), TILE):
        part = slice(start, start + TILE)
        scales[part] = inverse_norms(vectors[part].astype(np.float32))
    write_tensors(path, {"vectors": vectors, "scales": scales})


def _without(near: Nearest, scales: NDArray[np.float32]) -> Nearest:
    """Return what was found, but for passages without a vector, or with one that is damaged."""
    finite = np.isfinite(near.scores)
    rows, scores = near.rows[finite], near.scores[finite]
    has_vector = scales[rows] != 0
    return Nearest(rows[has_vector], scores[has_vector])
