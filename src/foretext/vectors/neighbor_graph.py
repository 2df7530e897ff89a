"""A graph of neighbours over unit rows: nearly all nearest rows, found in a few steps.

Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs", as `usearch` has it. A search visits a few thousand rows
whatever their number. The graph keeps the rows in float16, so who needs exact cosines computes them
for what was found.

usearch believes every number of a file, and a damaged one ends the process. So a checksum stands
behind the graph, which usearch does not read.

Nearest words among millions through a graph of neighbours, nearly exact, and measured. The
cosines that come back are exact; only a neighbour may be missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.config import whole_number
from foretext.base.errors import MissingExtraError, SettingError, VectorFileError
from foretext.base.files import atomic_file, is_regular_file
from foretext.base.parsing import file_checksum
from foretext.base.runtime import usable_cores
from foretext.messages import message
from foretext.progress import Progress
from foretext.vectors.given_words import as_vector, given_words
from foretext.vectors.neighbors import Nearest, comparable_rows, inverse_norms, search, unit_rows
from foretext.vectors.word_vectors import WordVectors

__all__ = ["NeighborGraph", "NeighborIndex", "is_usearch_installed"]

_EXPANSION = 128  # rows kept in view while searching; more miss less and take longer
_BY_ONE_THREAD = 4096  # rows, which takes a second
_NUM_CHECKED = 100  # rows that show whether a graph belongs to other vectors
_WHOLE = 0x2144DF1C  # the CRC-32 of any bytes with their CRC-32 behind them
_HALF_PRECISION = 2e-3  # the graph keeps float16

_BLOCK_ROWS = 10_000  # indexed between two looks at the progress


class NeighborGraph:
    """A graph of rows (N, D) of unit length, or of zeros; row n has the key n.

    Raises:
        MissingExtraError: usearch is not installed.
    """

    def __init__(self, dim: int) -> None:
        self._graph = _empty_graph(dim)

    @classmethod
    def load(cls, path: Path, dim: int) -> Self:
        """Open a graph that `save` wrote.

        Raises:
            MissingExtraError: usearch is not installed.
            VectorFileError: the file is no such graph.
        """
        graph = cls(dim)
        if not is_regular_file(path) or file_checksum(path, VectorFileError) != _WHOLE:
            raise VectorFileError(
                f"{path} is not an index of neighbours: it is damaged, or of an earlier version. "
                "Remove it, and it is built again."
            )
        try:
            graph._graph.load(str(path))
        except (RuntimeError, ValueError, OSError) as error:
            raise VectorFileError(f"{path} is not an index of neighbours: {error}.") from error
        return graph

    def __len__(self) -> int:
        return len(self._graph)

    def add(self, rows: NDArray[np.float32]) -> None:
        """Add rows (R, D) of unit length behind those that are there.

        Threads link rows in the order in which they come, so a graph is equal to the bit to another
        of the same rows only as long as one thread adds them, as it does to a small graph.
        """
        first = len(self._graph)
        last = first + len(rows)
        threads = 1 if last <= _BY_ONE_THREAD else usable_cores()
        self._graph.add(np.arange(first, last), rows, threads=threads)

    def save(self, path: Path) -> None:
        """Keep the graph; it is of use only with the rows that it was built of.

        Raises:
            OutputError: the file cannot be written.
        """
        with atomic_file(path) as temporary:
            self._graph.save(str(temporary))
            checksum = file_checksum(temporary, VectorFileError)
            with temporary.open("ab") as file:
                file.write(checksum.to_bytes(4, "little"))

    def nearest(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """Return about `k` rows near `query` (D,), of unit length, in no certain order."""
        found = self._graph.search(query, min(k, len(self)), threads=1)
        rows: NDArray[np.int64] = found.keys.astype(np.int64)
        return rows

    def is_of(self, num_rows: int, dim: int) -> bool:
        """Whether there are as many rows, of as many numbers."""
        return (len(self._graph), self._graph.ndim) == (num_rows, dim)

    def sampled(self) -> NDArray[np.int64]:
        """Return rows that `holds` is to be asked about."""
        last = max(len(self._graph) - 1, 0)
        return np.unique(np.linspace(0, last, _NUM_CHECKED).astype(np.int64))

    def holds(self, rows: NDArray[np.int64], vectors: NDArray[np.float32]) -> bool:
        """Whether `vectors` (R, D), of unit length, are those that the graph has for `rows`."""
        kept = np.asarray(self._graph.get(rows, dtype=np.float32))
        return kept.shape == vectors.shape and bool(
            np.allclose(kept, vectors, atol=_HALF_PRECISION)
        )


def is_usearch_installed() -> bool:
    """Whether a graph can be built or opened."""
    try:
        import usearch  # noqa: F401
    except ImportError:
        return False
    return True


def _empty_graph(dim: int) -> Any:
    try:
        from usearch.index import Index
    except ImportError as error:
        raise MissingExtraError("usearch", "index", message("errors.purpose.neighbours")) from error
    # inner products of unit rows: a cosine, and 0 for a row of zeros, where "cos" has no number
    return Index(ndim=dim, metric="ip", dtype="f16", expansion_search=_EXPANSION)


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
        with Progress(message("progress.indexing"), len(vectors), "words", quiet=quiet) as bar:
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

    def neighbors(self, words: str | Iterable[str], topn: int = 10) -> Any:
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

    def similar_by_vector(self, vector: ArrayLike, topn: int = 10) -> list[tuple[str, float]]:
        """Return words near a vector (D,) with their cosines, but for those that were missed.

        Raises:
            SettingError: it is no such vector, or `topn` is less than 1.
        """
        query = as_vector(vector)
        if query.shape != (self.vectors.vector_size,):
            raise SettingError(
                f"a vector of shape {query.shape} cannot be compared with vectors of "
                f"{self.vectors.vector_size} dimensions."
            )
        topn = whole_number(topn, "topn", least=1)
        return self._named(self._search(unit_rows(query[None])[0], topn))[:topn]

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
