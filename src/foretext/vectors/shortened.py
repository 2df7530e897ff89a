"""Vectors of texts that are cut to their first numbers, and scaled to length 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.base.config import whole_number
from foretext.base.errors import SettingError
from foretext.vectors.neighbors import comparable_rows

__all__ = ["shortened"]


def shortened(
    vectors: NDArray[np.float32], dim: int | None, *, normalize: bool
) -> NDArray[np.float32]:
    """Return the first `dim` numbers of vectors (N, D), (N, dim), in place; zeros stay zeros.

    A model that has learned Matryoshka dimensions keeps most of what it knows in them.

    Args:
        vectors: of texts.
        dim: numbers to keep; None: all.
        normalize: whether the result gets length 1.

    Raises:
        SettingError: the vectors have fewer numbers.
    """
    width = vectors.shape[1]
    if dim is not None and not 1 <= whole_number(dim, "dim") <= width:
        raise SettingError(f"dim = {dim}: the vectors have {width} numbers; use 1 to {width}.")
    kept = np.ascontiguousarray(vectors[:, :dim])
    if normalize:
        kept = comparable_rows(kept)
        lengths = np.linalg.norm(kept, axis=1, keepdims=True)
        kept /= np.where(lengths, lengths, 1.0)
    return kept
