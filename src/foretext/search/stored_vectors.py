"""The vectors of the passages, which stay on disk, and the exact search through them.

They have unit length, up to a scale a row: in float16 and int8 the scale makes up for what rounding
did to the length, and it is 0 where a passage has no vector. So every score is a cosine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.base.parsing import map_tensors, write_tensors
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.vectors.neighbors import Nearest, inverse_norms, search
from foretext.vectors.storage import StorageType, pack_vectors

__all__ = ["StoredVectors", "stored_rows", "write_vectors"]

TILE = 1 << 13  # rows that are turned into float32 together
LARGEST_HEAP = 1000  # results a query up to which many queries are searched together


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
