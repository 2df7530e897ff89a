"""The numbers of a page's model, in as few bytes as leave its answers as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.vectors.storage import StorageType, pack_vectors, unpack_vectors

__all__ = ["STORAGE_TYPES", "Matrices", "json_tensors", "packed", "stored"]

STORAGE_TYPES: tuple[StorageType, ...] = ("int8", "float16", "float32")  # the smallest first

Matrices = Mapping[str, NDArray[np.float32]]


def packed(matrices: Matrices, dtype: StorageType) -> dict[str, NDArray[Any]] | None:
    """Return the tensors that matrices (R, D) are stored as; None: float16 is too narrow."""
    found: dict[str, NDArray[Any]] = {}
    for name, matrix in matrices.items():
        try:
            tensors = pack_vectors(np.ascontiguousarray(matrix), dtype)
        except SettingError:
            return None
        if dtype == "int8":
            found |= {f"{name}.codes": tensors["codes"], f"{name}.scales": tensors["scales"]}
        else:
            found[name] = tensors["vectors"]
    return found


def stored(matrices: Matrices, dtype: StorageType) -> dict[str, NDArray[np.float32]]:
    """Return what matrices (R, D) are once they have been stored as `dtype`."""
    return {
        name: unpack_vectors(pack_vectors(np.ascontiguousarray(matrix), dtype))["vectors"]
        for name, matrix in matrices.items()
    }


def json_tensors(lists: Mapping[str, Sequence[Any]]) -> dict[str, NDArray[np.uint8]]:
    """Return lists as JSON in UTF-8, a tensor each."""
    found = {}
    for name, values in lists.items():
        text = json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))
        found[name] = np.frombuffer(text.encode("utf-8", "backslashreplace"), np.uint8)
    return found
