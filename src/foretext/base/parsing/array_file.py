"""Arrays as bare numbers in a file, mapped into memory."""

from __future__ import annotations

import math
import mmap
import os
import tokenize
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from foretext.base.errors import ForetextError
from foretext.base.files import atomic_file, open_file, output_error
from foretext.base.parsing.json_file import read_bytes

__all__ = [
    "Judge",
    "check_values",
    "map_array",
    "new_array",
    "read_npy",
    "read_part",
    "release",
    "temporary_array",
    "write_npy",
]

CHECKED_AT_ONCE = 1 << 22  # numbers
_REMEDY = "delete the folder that holds it and run again"

Judge = Callable[[NDArray[Any]], str | None]  # what is wrong with some values, if anything is

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_BROKEN = (ValueError, TypeError, KeyError, SyntaxError, EOFError, OverflowError, MemoryError)


def map_array(path: Path, dtype: str, length: int, error: type[ForetextError]) -> NDArray[Any]:
    """Map the (length,) numbers of a file, to be read only.

    The values are not looked at: who uses them as indices calls `check_values` first.

    Raises:
        ForetextError: of the class `error`: the file is missing, or has another length.
    """
    try:
        wanted = length * np.dtype(dtype).itemsize
        size = path.stat().st_size if path.is_file() else 0
        if length < 0 or size != wanted:
            raise error(
                f"{path} is damaged: it has {size:,} bytes instead of {wanted:,}; {_REMEDY}."
            )
        if length == 0:
            return np.empty(0, dtype)
        return np.memmap(path, dtype, mode="r", shape=(length,))
    except ForetextError:  # of the class `error`, which may be a ValueError, too
        raise
    except (OSError, ValueError, OverflowError, MemoryError) as problem:
        raise error(f"{path} cannot be read: {problem}.") from problem


def check_values(
    path: Path,
    array: NDArray[Any],
    problem_of: Judge,
    error: type[ForetextError],
    checksum: int | None = None,
) -> None:
    """Look at all numbers of a mapped file once, before a kernel takes them for indices.

    Args:
        path: of the file.
        array: its numbers, (N,).
        problem_of: is given them part by part; a part ends with the first number of the next one.
        error: class of what is raised.
        checksum: CRC-32 of the bytes that were written; None: not known.

    Raises:
        ForetextError: of the class `error`: the file is damaged.
    """
    found = 0
    for at in range(0, len(array), CHECKED_AT_ONCE):
        part = array[at : at + CHECKED_AT_ONCE + 1]
        if (problem := problem_of(part)) is not None:
            raise error(f"{path} is damaged: {problem}; {_REMEDY}.")
        found = zlib.crc32(part[:CHECKED_AT_ONCE].data, found)
        release(array)
    if checksum is not None and checksum != found:
        raise error(f"{path} is damaged: its bytes are not those that were written; {_REMEDY}.")


def release(array: NDArray[Any]) -> None:
    """Let go of the pages of a mapped file; a later read finds them on disk."""
    pages = array.base
    if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)


def read_part(
    path: Path, dtype: str, first: int, length: int, error: type[ForetextError]
) -> NDArray[Any]:
    """Read (length,) numbers of a file into memory, from the number `first` on.

    Raises:
        ForetextError: of the class `error`: the file is missing, or ends before.
    """
    try:
        with open_file(path) as file:
            part = np.fromfile(file, dtype, length, offset=first * np.dtype(dtype).itemsize)
    except (OSError, ValueError, MemoryError) as problem:
        raise error(f"{path} cannot be read: {problem}.") from problem
    if len(part) != length:
        raise error(f"{path} is damaged: it ends too early; run again.")
    return part


def new_array(path: Path, dtype: str, length: int) -> NDArray[Any]:
    """Make a file of (length,) zeros, and map it to be written to.

    Raises:
        OutputError: there is no room for it, or it cannot be written.
    """
    try:
        with open_file(path, "wb+") as file:
            return _mapped(file, dtype, length)
    except OSError as problem:
        raise output_error(path, problem) from problem


def temporary_array(folder: Path, dtype: str, length: int) -> NDArray[Any]:
    """Make (length,) zeros in a file of `folder` that has no name and is gone with the array.

    Numbers that are read in their order are there as fast as from memory, which they leave free.

    Raises:
        OutputError: there is no room for it, or the folder cannot be written.
    """
    try:
        with TemporaryFile(dir=folder) as file:
            return _mapped(file, dtype, length)
    except OSError as problem:
        raise output_error(folder, problem) from problem


def _mapped(file: IO[bytes], dtype: str, length: int) -> NDArray[Any]:
    """Map so many zeros of an empty file, to be written to."""
    if length == 0:
        return np.empty(0, dtype)
    if hasattr(os, "posix_fallocate"):  # or a full disk would end the process later
        os.posix_fallocate(file.fileno(), 0, length * np.dtype(dtype).itemsize)
    return np.memmap(file, dtype, mode="w+", shape=(length,)).view(np.ndarray)


def read_npy(path: Path, error: type[ForetextError]) -> NDArray[Any]:
    """Return the array of a file, of whole or fractional numbers or of booleans.

    Raises:
        ForetextError: of the class `error`: the file is missing, cut off, or holds other things.
    """
    if not path.is_file():
        read_bytes(path, error)  # says what is there instead
    try:
        with path.open("rb") as file:
            return _array(file, path.stat().st_size)
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    except (*_BROKEN, RecursionError, tokenize.TokenError) as problem:
        cause = " ".join(str(problem).split())[:200].rstrip(".") or type(problem).__name__
        raise error(
            f"{path} is not a whole .npy file of numbers ({cause}); save the array again with "
            "numpy.save."
        ) from problem


def write_npy(path: Path, array: NDArray[Any]) -> None:
    """Write an array, whole or not at all.

    numpy writes to a file in a way of its own, whose errors do not say that a disk is full.

    Raises:
        OutputError: it cannot be written.
    """
    rows = np.ascontiguousarray(array)
    with atomic_file(path) as temporary, temporary.open("wb") as file:
        npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(rows))
        file.write(rows.data if rows.size else b"")


def _array(file: BinaryIO, size: int) -> NDArray[Any]:
    """Read header and numbers of a file of `size` bytes; ValueError says what is wrong."""
    version = npy.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"it is of version {version}")
    shape, is_fortran, dtype = _HEADERS[version](file)
    if dtype.kind not in "biuf" or dtype.subdtype is not None:
        raise ValueError(f"its type is {dtype}")
    wanted, found = math.prod(shape) * dtype.itemsize, size - file.tell()
    if min(shape, default=0) < 0 or wanted > found:
        raise ValueError(f"{found:,} bytes are no array of shape {shape} and type {dtype}")
    flat = np.frombuffer(file.read(wanted), dtype)
    return flat.reshape(shape, order="F" if is_fortran else "C")
