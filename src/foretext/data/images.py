"""Images as one array: the idx files of MNIST, packed or not, and numpy's ``.npy``.

An idx file is two zero bytes, the type of its numbers, the number of dimensions, the dimensions as
big-endian integers of four bytes, and the numbers (LeCun's page of MNIST).
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foretext.errors import ImageFileError

__all__ = ["read_images"]

_TYPES = {0x08: ">u1", 0x0D: ">f4", 0x0E: ">f8"}  # pixels are bytes, or fractions of white
_LARGEST_BYTE = 255


def read_images(path: str | Path) -> NDArray[np.float32]:
    """Read a file of images, an example a row: (N, H, W), or (N, ...) in general.

    Bytes are scaled to 0..1; fractional numbers stay as they are.

    Raises:
        ImageFileError: the file cannot be read, is no idx or ``.npy`` file, is cut off, or holds
            something other than a stack of images, with the cause and how to mend it.
    """
    path = Path(path)
    stack = _read_npy(path) if path.suffix == ".npy" else _read_idx(path)
    if stack.ndim < 2 or 0 in stack.shape:
        raise ImageFileError(
            f"{path} holds an array of shape {stack.shape}; a stack of images has an image a row "
            "and at least one."
        )
    images = stack.astype(np.float32)
    if stack.dtype == np.uint8:
        images /= _LARGEST_BYTE
    if not np.isfinite(images).all():
        raise ImageFileError(f"{path} holds numbers that are not finite; mend the images first.")
    return images


def _read_npy(path: Path) -> NDArray[np.generic]:
    try:
        stack = np.load(path, allow_pickle=False)
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, EOFError) as error:
        raise ImageFileError(
            f"{path} is not a whole .npy file of numbers ({error}); save the array again with "
            "numpy.save."
        ) from error
    if stack.dtype != np.uint8 and stack.dtype.kind != "f":
        raise ImageFileError(
            f"{path} holds numbers of type {stack.dtype}; save them as uint8 (0 to 255) or as "
            "float32 (0 to 1)."
        )
    return np.asarray(stack)


def _read_idx(path: Path) -> NDArray[np.generic]:
    content = _unpacked(path)
    kind = _TYPES.get(content[2]) if len(content) >= 4 and content[:2] == b"\0\0" else None
    if kind is None:
        raise ImageFileError(
            f"{path} does not begin as an idx file of bytes or fractions does, but with "
            f"{content[:4].hex(' ') or 'nothing'}; give an idx or a .npy file of images."
        )
    begin = 4 + 4 * content[3]
    header = content[4:begin]
    shape = np.frombuffer(header, ">u4", count=len(header) // 4).tolist()
    expected = begin + math.prod(shape) * np.dtype(kind).itemsize
    if len(content) != expected:
        raise ImageFileError(
            f"{path} has {len(content):,} bytes unpacked where its header {shape} asks for "
            f"{expected:,}; copy or download it again."
        )
    return np.frombuffer(content, kind, offset=begin).reshape(shape)


def _unpacked(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ImageFileError(
            f"{path} is a damaged gzip file ({error}); copy or download it again."
        ) from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> ImageFileError:
    return ImageFileError(f"{path} cannot be read: {error.strerror or error}.")
