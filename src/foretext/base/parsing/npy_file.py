"""numpy's ``.npy`` files: an array of numbers, read without pickle and without trust."""

from __future__ import annotations

import math
import tokenize
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from foretext.base.errors import ForetextError
from foretext.base.files import atomic_file
from foretext.base.parsing.text_file import read_bytes

__all__ = ["read_npy", "write_npy"]

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_BROKEN = (ValueError, TypeError, KeyError, SyntaxError, EOFError, OverflowError, MemoryError)


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
