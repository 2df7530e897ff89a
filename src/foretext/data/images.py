"""Images as one array: the idx files of MNIST, packed or not, and numpy's ``.npy``.

An idx file is two zero bytes, the type of its numbers, the number of dimensions, the dimensions as
big-endian integers of four bytes, and the numbers (LeCun's page of MNIST).
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.arguments import given_array
from foretext.base.errors import ImageFileError, SettingError
from foretext.base.parsing.array_file import read_npy

__all__ = ["range_note", "read_images", "scaled_examples"]

_TYPES = {0x08: ">u1", 0x0D: ">f4", 0x0E: ">f8"}  # pixels are bytes, or fractions of white
_LARGEST_BYTE = 255
_MOST_AXES = 8
_PIECE = 1 << 20  # bytes unpacked at once
_MOST = 100  # times its packed size that a file may have; images of digits have 5
_SMALL = 1 << 26  # bytes that any file may have
_FAR = 10.0  # standard deviations are hard to learn from beyond it
_BEYOND = 0.05  # outside of 0..1 that a picture may have, by interpolation


def read_images(path: str | Path) -> NDArray[np.float32]:
    """Read a file of images, an example a row: (N, H, W), or (N, ...) in general.

    Bytes are scaled to 0..1; fractional numbers stay as they are.

    Raises:
        ImageFileError: the file cannot be read, is no idx or ``.npy`` file, is cut off, or holds
            something other than a stack of images, with the cause and how to correct it.
    """
    path = Path(path)
    stack = _read_npy(path) if path.suffix == ".npy" else _read_idx(path)
    if stack.ndim < 2 or 0 in stack.shape:
        raise _no_stack(path, stack.shape)
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes an infinity
        images = stack.astype(np.float32)
    if stack.dtype == np.uint8:
        images /= _LARGEST_BYTE
    if not np.isfinite(images).all():
        raise ImageFileError(f"{path} holds numbers that are not finite; correct the images first.")
    return images


def scaled_examples(values: ArrayLike) -> NDArray[np.float32]:
    """Return examples (N, ...) as float32; whole numbers are pixels, and are scaled to 0..1.

    Raises:
        SettingError: whole numbers outside of 0..255, numbers that are not finite, or no numbers.
    """
    array = given_array(values, "examples")
    if array.dtype.kind not in "biuf":
        raise SettingError(
            f"An array of type {array.dtype} holds no numbers to learn from; give numbers."
        )
    if (
        array.dtype.kind in "iu"
        and array.size
        and not (array.min() >= 0 and array.max() <= _LARGEST_BYTE)
    ):
        raise SettingError(
            f"Whole numbers from {array.min()} to {array.max()} are no pixels of 0 to 255; scale "
            "them to about 0..1 as float32 first."
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes an infinity
        examples = np.ascontiguousarray(array, dtype=np.float32)
    if array.dtype.kind in "iu":
        examples /= _LARGEST_BYTE
    if not np.isfinite(examples).all():
        raise SettingError("The array holds NaN or infinite numbers; replace or remove them first.")
    return examples


def range_note(examples: NDArray[np.float32], *, are_pictures: bool) -> str | None:
    """Return a warning about numbers that an autoencoder will hardly learn; None: they suit it.

    Args:
        examples: (N, ...).
        are_pictures: whether the network answers with numbers from 0 to 1 only.
    """
    least, most = float(examples.min()), float(examples.max())
    if are_pictures and (least < -_BEYOND or most > 1 + _BEYOND):
        return (
            f"the numbers go from {least:.4g} to {most:.4g}, and this network answers with 0 to 1 "
            "only; scale them to 0..1, or learn with kind = 'denoising' or 'linear'"
        )
    if (spread := float(examples.std(dtype=np.float64))) > _FAR:
        return (
            f"the numbers go from {least:.4g} to {most:.4g}, with a standard deviation of "
            f"{spread:.4g}; scale them to about 0..1, or the training may not converge"
        )
    return None


def _read_npy(path: Path) -> NDArray[np.generic]:
    stack = read_npy(path, ImageFileError)
    if stack.dtype != np.uint8 and stack.dtype.kind != "f":
        raise ImageFileError(
            f"{path} holds numbers of type {stack.dtype}; save them as uint8 (0 to 255) or as "
            "float32 (0 to 1)."
        )
    return stack


def _read_idx(path: Path) -> NDArray[np.generic]:
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise ImageFileError(f"{path} is no file; give an idx or a .npy file of images.")
        with path.open("rb") as file:
            if file.peek(2)[:2] != b"\x1f\x8b":
                return _array(file, path, size)
            packed = cast(BinaryIO, gzip.GzipFile(fileobj=file))
            return _array(packed, path, max(size * _MOST, _SMALL))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ImageFileError(
            f"{path} is a damaged gzip file ({error}); copy or download it again."
        ) from error
    except OSError as error:
        raise ImageFileError(f"{path} cannot be read: {error.strerror or error}.") from error


def _array(file: BinaryIO, path: Path, most: int) -> NDArray[np.generic]:
    """Read the array of an idx file, which has at most so many bytes."""
    head = file.read(4)
    kind = _TYPES.get(head[2]) if len(head) == 4 and head[:2] == b"\0\0" else None
    if kind is None:
        raise ImageFileError(
            f"{path} does not begin as an idx file of bytes or fractions does, but with "
            f"{head.hex(' ') or 'nothing'}; give an idx or a .npy file of images."
        )
    header = file.read(4 * head[3])
    shape = np.frombuffer(header, ">u4", count=len(header) // 4).tolist()
    begin = 4 + 4 * head[3]
    expected = begin + math.prod(shape) * np.dtype(kind).itemsize
    if len(shape) > _MOST_AXES or (expected == begin and len(header) == begin - 4):
        raise _no_stack(path, tuple(shape))
    content = _first(file, min(expected - begin, most) + 1)  # one more, to see that it ends
    found = 4 + len(header) + len(content)
    if len(content) > most and expected > found:
        raise ImageFileError(
            f"{path} unpacks to more than {_MOST} times its size, which images hardly do; if you "
            "trust it, unpack it with gunzip and give the unpacked file."
        )
    if found != expected:
        raise ImageFileError(
            f"{path} has {'at least ' if found > expected else ''}{found:,} bytes unpacked where "
            f"its header {shape} asks for {expected:,}; copy or download it again."
        )
    return np.frombuffer(content, kind).reshape(shape)


def _no_stack(path: Path, shape: tuple[int, ...]) -> ImageFileError:
    return ImageFileError(
        f"{path} holds an array of shape {shape}; a stack of images has an image a row and at "
        "least one."
    )


def _first(file: BinaryIO, size: int) -> bytes:
    """Return the first `size` bytes of a file, or all that it has."""
    pieces = []
    while size > 0 and (piece := file.read(min(size, _PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
