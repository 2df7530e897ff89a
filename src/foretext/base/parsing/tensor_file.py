"""Tensors by name in one file: safetensors, whose reading runs no code.

The library writes metadata in an order that changes from run to run, and wraps a full disk in an
error of its own. So foretext writes the format itself: eight bytes with the length of the header,
a JSON header, and the numbers, little-endian, the widest types first. Equal tensors give equal
files.
"""

from __future__ import annotations

import json
import math
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from foretext.base.errors import ForetextError, OutputError
from foretext.base.files import NO_SPACE, atomic_file, is_regular_file, open_file
from foretext.base.parsing.json_file import parse_json, read_bytes
from foretext.base.parsing.lfs_pointer import refuse_lfs_pointer
from foretext.messages import message

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "TensorFile",
    "check_tensors",
    "file_checksum",
    "map_tensors",
    "read_tensors",
    "read_torch",
    "write_tensors",
]

_NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16",
    "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
DTYPES = {short: name for name, short in _NAMES.items()}
_ALIGNMENT = 8  # bytes; the numbers begin at a multiple of it

Shapes = Mapping[str, tuple[str, int]]  # name to type and number of axes

READ_SIZE = 1 << 22  # bytes

LONGEST_HEADER = 100_000_000  # bytes, as in the library
Size = Annotated[int, Field(ge=0)]


class TensorFile(NamedTuple):
    """What a file holds."""

    tensors: dict[str, NDArray[Any]]
    metadata: dict[str, str]


def read_tensors(path: Path, error: type[ForetextError], expected: Shapes = {}) -> TensorFile:  # noqa: B006
    """Read a file of tensors into memory.

    Args:
        path: of the file.
        error: class of what is raised.
        expected: tensors that must be in it, each with its type and its number of axes; there may
            be others.

    Raises:
        ForetextError: of the class `error`: the file is missing, cut off, or lacks a tensor.
    """
    from safetensors import safe_open

    if not path.is_file():
        read_bytes(path, error)  # says what is there instead
    try:
        with safe_open(path, "numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as problem:  # SafetensorError, and whatever numpy says of a type it lacks
        refuse_lfs_pointer(path, error)
        raise error(
            f"{path} is damaged, or no safetensors file ({problem}); fetch or write it again."
        ) from problem
    check_tensors(path, tensors, expected, error)
    return TensorFile(tensors, metadata)


def check_tensors(
    path: Path,
    tensors: Mapping[str, NDArray[Any]],
    expected: Shapes,
    error: type[ForetextError],
) -> None:
    """Refuse what was read of a file where one of the tensors `expected` is not in it.

    Raises:
        ForetextError: of the class `error`: one is missing, or of another type or number of axes.
    """
    for name, (dtype, num_axes) in expected.items():
        tensor = tensors.get(name)
        if tensor is None or tensor.dtype != dtype or tensor.ndim != num_axes:
            raise error(
                f"{path}: no tensor '{name}' of {num_axes} axes and type {dtype} is in it, only "
                f"{_described(tensors)}; give the right file, or fetch this one again."
            )


def write_tensors(
    path: Path, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None
) -> None:
    """Write a file of tensors, whole or not at all; equal contents give equal bytes.

    Raises:
        OutputError: it cannot be written; where the disk is full, with the bytes that are missing.
    """
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    header = _header(dict(ordered), metadata or {})
    size = len(header) + sum(tensor.nbytes for tensor in tensors.values())
    with atomic_file(path) as temporary:
        try:
            with temporary.open("wb") as file:
                file.write(header)
                for _, tensor in ordered:
                    _write(file, tensor)
        except OSError as problem:
            if problem.errno not in NO_SPACE:
                raise
            free = shutil.disk_usage(path.parent).free + temporary.stat().st_size
            raise OutputError(
                message(
                    "files.damaged.disk", path=path, size=size, free=free, more=max(size - free, 1)
                )
            ) from problem


def _header(tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    fields: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))} if metadata else {}
    end = 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.nbytes
        kind = _NAMES[tensor.dtype.name]
        fields[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def _write(file: BinaryIO, tensor: NDArray[Any]) -> None:
    whole = np.ascontiguousarray(tensor, dtype=tensor.dtype.newbyteorder("<"))
    file.write(whole.reshape(-1).view(np.uint8).data)


def _described(tensors: Mapping[str, NDArray[Any]]) -> str:
    return ", ".join(f"'{name}' {t.shape} {t.dtype}" for name, t in tensors.items()) or "nothing"


def file_checksum(path: Path, error: type[ForetextError]) -> int:
    """Return the CRC-32 of a file's bytes; a gigabyte takes about a second.

    Raises:
        ForetextError: of the class `error`: the file cannot be read.
    """
    checksum = 0
    try:
        with open_file(path) as file:
            while piece := file.read(READ_SIZE):
                checksum = zlib.crc32(piece, checksum)
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    return checksum


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
        raise error(message("files.damaged.safetensors", path=path))
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


def read_torch(path: Path, error: type[ForetextError]) -> dict[str, Tensor]:
    """Return the tensors of a file, on the CPU in the types that they are stored in.

    Raises:
        ForetextError: of the class `error`: the file is missing, cut off, or of another format.
    """
    from safetensors.torch import load_file

    if not path.is_file():
        read_bytes(path, error)  # says what is there instead
    try:
        weights: dict[str, Tensor] = load_file(path)
    except Exception as problem:  # the library's own error, and whatever PyTorch says of a type
        refuse_lfs_pointer(path, error)
        raise error(
            f"{path} is no whole safetensors file ({problem}); fetch or write it again."
        ) from problem
    return weights
