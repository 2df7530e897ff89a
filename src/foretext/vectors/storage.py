"""Vectors in fewer bytes: float16, or int8 with one scale a row, and what is lost by that.

In int8 the largest number of a row becomes 127 or -127 and the others the nearest whole steps
between: D + 4 bytes a word instead of the 4 D of float32 and the 2 D of float16.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError, did_you_mean
from foretext.vectors.neighbors import nearest_others, num_shared, unit_rows

__all__ = ["StorageLoss", "StorageType", "pack_vectors", "storage_loss", "unpack_vectors"]

StorageType: TypeAlias = Literal["float32", "float16", "int8"]

_TYPES = ("float32", "float16", "int8")
_LARGEST_FLOAT16 = 65504.0
_STEPS = 127  # of int8 to each side of zero; -128 stays unused
_LARGEST_SCALE = np.nextafter(np.finfo(np.float32).max / np.float32(_STEPS), np.float32(0))
_MOST_QUERIES = 1000


class StorageLoss(NamedTuple):
    """How much stored vectors differ from those they were made of."""

    mean_cosine: float  # between a vector and the stored one; 1 is no loss
    neighbors_kept_rate: float  # the share of each word's nearest words that stay among them


def pack_vectors(
    vectors: NDArray[np.float32], dtype: StorageType, prefix: str = ""
) -> dict[str, NDArray[Any]]:
    """Return the tensors that `vectors` (V, D) are stored as.

    ``vectors`` (V, D) in float32 and float16; ``codes`` (V, D) int8 and ``scales`` (V,) float32 in
    int8, where a vector is its codes times its scale. `prefix` stands before the names.

    Raises:
        SettingError: there is no such type, or a number is too large for float16.
    """
    _check_type(dtype)
    if dtype == "int8":
        codes, scales = _coded(vectors)
        return {f"{prefix}codes": codes, f"{prefix}scales": scales}
    if dtype == "float16":
        _check_range(vectors)
    return {f"{prefix}vectors": np.ascontiguousarray(vectors, dtype=dtype)}


def unpack_vectors(
    tensors: Mapping[str, NDArray[Any]], prefix: str = ""
) -> dict[str, NDArray[Any]]:
    """Return `tensors` with ``vectors`` (V, D) float32 in the place of what they are stored as.

    Tensors of any other types and shapes stay as they are, for the reader to refuse.
    """
    codes, scales = tensors.get(f"{prefix}codes"), tensors.get(f"{prefix}scales")
    half = tensors.get(f"{prefix}vectors")
    if half is not None and half.dtype == np.float16:
        return {**tensors, f"{prefix}vectors": half.astype(np.float32)}
    if codes is None or scales is None or not _go_together(codes, scales):
        return dict(tensors)
    others = {name: t for name, t in tensors.items() if t is not codes and t is not scales}
    with np.errstate(over="ignore"):  # the reader refuses infinities
        return {**others, f"{prefix}vectors": codes * scales[:, None]}


def storage_loss(
    vectors: NDArray[np.float32], dtype: StorageType, *, topn: int = 10, seed: int = 0
) -> StorageLoss:
    """Measure what `vectors` (V, D) lose when they are stored as `dtype`.

    The cosine is the mean over all words, the `topn` neighbours are those of 1,000 words drawn with
    `seed`, or of all where there are fewer.

    Raises:
        SettingError: there is no such type, or a number is too large for float16.
    """
    stored = unpack_vectors(pack_vectors(vectors, dtype))["vectors"]
    cosines = np.einsum("vd,vd->v", unit_rows(vectors), unit_rows(stored), dtype=np.float64)
    of_zeros = ~vectors.any(axis=1)  # nothing to lose, and no direction to compare
    drawn = np.random.default_rng(seed).permutation(len(vectors))[:_MOST_QUERIES]
    k = min(topn, len(vectors) - 1)
    shared = num_shared(nearest_others(vectors, drawn, k), nearest_others(stored, drawn, k))
    kept = float(shared.mean()) / k if k else 1.0
    return StorageLoss(float(np.where(of_zeros, 1.0, cosines).mean().clip(max=1.0)), kept)


def _check_type(dtype: str) -> None:
    if dtype not in _TYPES:
        hint = did_you_mean(dtype, _TYPES) or f" There are: {', '.join(_TYPES)}."
        raise SettingError(f"dtype = '{dtype}': vectors cannot be stored as this.{hint}")


def _check_range(vectors: NDArray[np.float32]) -> None:
    largest = float(np.abs(vectors).max(initial=0.0))
    if largest > _LARGEST_FLOAT16:
        raise SettingError(
            f"dtype = 'float16': {largest:.6g} is among the numbers, and float16 ends at "
            f"{_LARGEST_FLOAT16:.0f}; choose 'int8' or 'float32'."
        )


def _coded(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = (np.abs(vectors).max(axis=1, initial=0.0) / _STEPS).astype(np.float32)  # (V,)
    scales = np.minimum(scales, _LARGEST_SCALE)
    steps = np.zeros_like(vectors)
    np.divide(vectors, scales[:, None], out=steps, where=scales[:, None] > 0)
    np.rint(steps, out=steps)
    np.clip(steps, -_STEPS, _STEPS, out=steps)  # the scale of the smallest rows is inexact
    return steps.astype(np.int8), scales


def _go_together(codes: NDArray[Any], scales: NDArray[Any]) -> bool:
    return (
        codes.dtype == np.int8
        and scales.dtype == np.float32
        and codes.ndim == 2
        and scales.shape == (len(codes),)
    )
