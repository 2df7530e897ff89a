"""Principal components: the directions in which the rows of an array differ most.

Pearson 1901, "On lines and planes of closest fit"; exactly, by the eigenvectors of the (D, D)
matrix of second moments in float64, so that millions of rows need no more memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["PrincipalComponents", "principal_components"]

_BLOCK_ROWS = 8192  # rows that are float64 at one time


class PrincipalComponents(NamedTuple):
    """A row (D,) goes to ``(row - mean) @ directions``, without the mean where it is None."""

    directions: NDArray[np.float64]  # (D, K), orthonormal columns, the most variance first
    mean: NDArray[np.float64] | None  # (D,)
    variance_rate: float  # the share of the variance that is kept, 0 to 1

    def squared_error(self, rows: NDArray[np.float32]) -> float:
        """Return the mean squared error of a number when `rows` (N, D) are cut down and back."""
        total = 0.0
        for start in range(0, len(rows), _BLOCK_ROWS):
            block = _centred(rows[start : start + _BLOCK_ROWS], self.mean)
            total += np.square(block - (block @ self.directions) @ self.directions.T).sum()
        return total / max(rows.size, 1)


def principal_components(
    rows: NDArray[np.float32], dim: int, *, remove_mean: bool
) -> PrincipalComponents:
    """Find the `dim` directions that keep most of the variance of `rows` (N, D).

    Without `remove_mean` the variance is that around the origin. Of no variance at all nothing is
    lost.
    """
    assert 1 <= dim <= rows.shape[1], (dim, rows.shape)
    mean = rows.mean(axis=0, dtype=np.float64) if remove_mean else None
    ascending, directions = np.linalg.eigh(_second_moments(rows, mean))
    variances = ascending.clip(min=0)[::-1]
    total = float(variances.sum())
    rate = float(variances[:dim].sum()) / total if total else 1.0
    return PrincipalComponents(_with_fixed_signs(directions[:, ::-1][:, :dim]), mean, rate)


def _centred(rows: NDArray[np.float32], mean: NDArray[np.float64] | None) -> NDArray[np.float64]:
    block = rows.astype(np.float64)
    if mean is not None:
        block -= mean
    return block


def _second_moments(
    rows: NDArray[np.float32], mean: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the sum (D, D) of the outer product of each row, less `mean`, with itself."""
    moments = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = _centred(rows[start : start + _BLOCK_ROWS], mean)
        moments += block.T @ block
    return moments


def _with_fixed_signs(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn each column so that its largest entry is positive; either sign is an eigenvector."""
    largest = np.abs(directions).argmax(axis=0)
    signs = np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
    turned: NDArray[np.float64] = directions * signs
    return turned
