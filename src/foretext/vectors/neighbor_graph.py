"""A graph of neighbours over unit rows: nearly all nearest rows, found in a few steps.

Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs", as `usearch` has it. A search visits a few thousand rows
whatever their number. The graph keeps the rows in float16, so who needs exact cosines computes them
for what was found.

usearch believes every number of a file, and a damaged one ends the process. So a checksum stands
behind the graph, which usearch does not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import MissingExtraError, VectorFileError
from foretext.base.files import atomic_file, is_regular_file
from foretext.base.parsing import file_checksum
from foretext.base.runtime import usable_cores

__all__ = ["NeighborGraph", "is_usearch_installed"]

_EXPANSION = 128  # rows kept in view while searching; more miss less and take longer
_BY_ONE_THREAD = 4096  # rows, which takes a second
_NUM_CHECKED = 100  # rows that show whether a graph belongs to other vectors
_WHOLE = 0x2144DF1C  # the CRC-32 of any bytes with their CRC-32 behind them
_HALF_PRECISION = 2e-3  # the graph keeps float16


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
        raise MissingExtraError("usearch", "index", "an index of neighbours") from error
    # inner products of unit rows: a cosine, and 0 for a row of zeros, where "cos" has no number
    return Index(ndim=dim, metric="ip", dtype="f16", expansion_search=_EXPANSION)
