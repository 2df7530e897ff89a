"""Tensors of a safetensors file that stay on disk: only what is looked at is read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from foretext.base.errors import ForetextError
from foretext.base.files import is_regular_file
from foretext.base.parsing.json_file import parse_json
from foretext.base.parsing.tensor_file import DTYPES, Shapes, check_tensors
from foretext.base.parsing.text_file import read_bytes

__all__ = ["map_tensors"]

LONGEST_HEADER = 100_000_000  # bytes, as in the library
Size = Annotated[int, Field(ge=0)]


class _Tensor(BaseModel):
    dtype: str
    shape: list[Size]
    data_offsets: tuple[Size, Size]


def map_tensors(
    path: Path, error: type[ForetextError], expected: Shapes
) -> dict[str, NDArray[Any]]:
    """Map the `expected` tensors of a file, to be read only; `read_tensors` reads them all.

    Their values are not looked at: who uses them as indices checks them first.

    Args:
        path: of the file.
        error: class of what is raised.
        expected: tensors that must be in it, each with its type and its number of axes.

    Raises:
        ForetextError: of the class `error`: the file is missing, cut off, or lacks a tensor.
    """
    if not is_regular_file(path):
        read_bytes(path, error)  # says what is there instead
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = file.read(length) if 8 + length <= min(size, LONGEST_HEADER) else b""
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    if not header:
        raise error(f"{path} is damaged, or no safetensors file; fetch or write it again.")
    said = parse_json(header, str(path), error, dict[str, _Tensor | dict[str, str]])
    begin = 8 + length
    tensors = {
        name: _mapped(path, name, tensor, begin, size - begin, error)
        for name, tensor in said.items()
        if name in expected and isinstance(tensor, _Tensor)
    }
    check_tensors(path, tensors, expected, error)
    return tensors


def _mapped(
    path: Path, name: str, tensor: _Tensor, begin: int, size: int, error: type[ForetextError]
) -> NDArray[Any]:
    """Map one tensor of which the header says where it is."""
    first, last = tensor.data_offsets
    dtype = DTYPES.get(tensor.dtype)
    wanted = None if dtype is None else math.prod(tensor.shape) * np.dtype(dtype).itemsize
    if dtype is None or not first <= last <= size or last - first != wanted:
        raise error(
            f"{path} is damaged: the tensor '{name}' is not where the file says; fetch or write it "
            "again."
        )
    if first == last:
        return np.empty(tensor.shape, dtype)
    return np.memmap(path, np.dtype(dtype), "r", begin + first, tuple(tensor.shape))
