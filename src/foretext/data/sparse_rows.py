"""Rows of mostly zeros, such as the counts of the words of texts: which numbers are not zero."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["SparseRows"]


class SparseRows(NamedTuple):
    """N rows of F numbers, of which those that are not zero stand one after another (CSR)."""

    columns: NDArray[np.int32]  # (nnz,) from 0 to F - 1
    values: NDArray[np.float32]  # (nnz,)
    starts: NDArray[np.int64]  # (N + 1,) where each row begins, and the last one ends

    def __len__(self) -> int:
        return len(self.starts) - 1

    def taken(self, rows: NDArray[np.int64]) -> Self:
        """Return some of the rows; one may be taken several times."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], lengths)
        return type(self)(self.columns[places], self.values[places], starts)

    def filled(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return columns and values of some rows side by side, (B, W); what fills up has value 0.

        W is the most that a row has, at least 1.
        """
        some = self.taken(rows)
        lengths = np.diff(some.starts)
        is_real = np.arange(max(int(lengths.max(initial=0)), 1)) < lengths[:, None]  # (B, W)
        columns = np.zeros(is_real.shape, np.int64)
        values = np.zeros(is_real.shape, np.float32)
        columns[is_real], values[is_real] = some.columns, some.values
        return columns, values
