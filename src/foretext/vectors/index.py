"""Nearest words among millions through a graph of neighbours, nearly exact, and measured.

The cosines that come back are exact; only a neighbour may be missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.config import whole_number
from foretext.base.errors import VectorFileError
from foretext.progress import Progress
from foretext.vectors.neighbor_graph import NeighborGraph
from foretext.vectors.neighbors import Nearest, comparable_rows, inverse_norms, search, unit_rows
from foretext.vectors.word_similarity import given_words
from foretext.vectors.word_vectors import WordVectors

__all__ = ["NeighborIndex"]

_BLOCK_ROWS = 10_000  # indexed between two looks at the progress


class NeighborIndex:
    """A search of `vectors` (V, D) that does not look at every row.

    Build one with `build`, or open a kept one with `load`.
    """

    def __init__(self, vectors: WordVectors, graph: NeighborGraph) -> None:
        self.vectors = vectors
        self._graph = graph

    @classmethod
    def build(cls, vectors: WordVectors, *, quiet: bool | None = None) -> NeighborIndex:
        """Index every word: about a minute for half a million words of 100 dimensions on two cores.

        Raises:
            MissingExtraError: usearch is not installed.
        """
        graph = NeighborGraph(vectors.vector_size)
        with Progress("indexing", len(vectors), "words", quiet=quiet) as bar:
            for start in range(0, len(vectors), _BLOCK_ROWS):
                block = unit_rows(vectors.vectors[start : start + _BLOCK_ROWS])
                graph.add(block)
                bar.advance(len(block))
        return cls(vectors, graph)

    @classmethod
    def load(cls, path: str | Path, vectors: WordVectors) -> NeighborIndex:
        """Open an index that was built of just these vectors.

        Raises:
            MissingExtraError: usearch is not installed.
            VectorFileError: the file is no index, or that of other vectors.
        """
        graph = NeighborGraph.load(Path(path), vectors.vector_size)
        if not _is_of(graph, vectors):
            raise VectorFileError(
                f"{path} is the index of other vectors; remove it, and it is built again."
            )
        return cls(vectors, graph)

    def save(self, path: str | Path) -> None:
        """Keep the index; it is of use only with the vectors that it was built of.

        Raises:
            OutputError: the file cannot be written.
        """
        self._graph.save(Path(path))

    def neighbors(self, words: Iterable[str], topn: int = 10) -> Any:
        """Return what `WordVectors.neighbors` gives, but for neighbours that the search missed.

        A single word gets a single list.

        Raises:
            UnknownWordError: a word is not in the vocabulary.
            SettingError: `topn` is less than 1.
        """
        if isinstance(words, str):
            return self.neighbors([words], topn)[0]
        words, topn = given_words(words), whole_number(topn, "topn", least=1)
        queries = unit_rows(self.vectors[words])  # (Q, D)
        found = [self._named(self._search(query, topn + 1)) for query in queries]
        return [
            [pair for pair in near if pair[0] != self.vectors.spelled(word)][:topn]
            for word, near in zip(words, found, strict=True)
        ]

    def recall(self, num_queries: int = 1_000, topn: int = 10, *, seed: int = 0) -> float:
        """Return the share of the `topn` exact neighbours of words drawn at random that are found.

        A word is its own nearest neighbour here, in both searches.
        """
        matrix = self.vectors.vectors  # (V, D)
        rows = np.random.default_rng(seed).permutation(len(matrix))[:num_queries]
        queries = unit_rows(matrix[rows])
        matrix = comparable_rows(matrix)
        exact = search(matrix, inverse_norms(matrix), queries, topn).rows  # (Q, topn)
        found = [self._search(query, topn).rows for query in queries]
        num_found = sum(np.isin(*pair).sum() for pair in zip(exact, found, strict=True))
        return float(num_found / max(exact.size, 1))

    def _search(self, query: NDArray[np.float32], k: int) -> Nearest:
        """Return about `k` rows for `query` (D,), of unit length, the best first."""
        rows = self._graph.nearest(query, k)
        scores = unit_rows(self.vectors.vectors[rows]) @ query
        order = np.lexsort((rows, -scores))
        return Nearest(rows[order], scores[order])

    def _named(self, near: Nearest) -> list[tuple[str, float]]:
        pairs = zip(near.rows.tolist(), near.scores.tolist(), strict=True)
        return [(self.vectors.index_to_key[row], score) for row, score in pairs]


def _is_of(graph: NeighborGraph, vectors: WordVectors) -> bool:
    """Say whether the graph holds as many rows, and the same ones as far as a sample shows."""
    if not graph.is_of(*vectors.vectors.shape):
        return False
    rows = graph.sampled()
    return graph.holds(rows, unit_rows(vectors.vectors[rows]))
