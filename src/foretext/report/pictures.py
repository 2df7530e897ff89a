"""Grey images side by side, as a PNG file (ISO/IEC 15948), which needs no more than zlib."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["picture_of", "png"]

GAP = 2  # pixels between two images
GREY_BITS, GREY = 8, 0  # of the header: bits a pixel, and no colour


def picture_of(rows: list[NDArray[np.float32]], *, scale: int = 3) -> bytes:
    """Draw rows of images (N, H, W), 0 black to 1 white, below each other; returns a PNG file.

    Args:
        rows: as many images in each, all of one size.
        scale: pixels of the picture for each pixel of an image, either way.
    """
    lines = [np.concatenate([_framed(image) for image in row], axis=1) for row in rows]
    canvas = np.concatenate(lines)
    pixels = np.rint(255 * canvas.clip(0, 1)).astype(np.uint8)
    return png(pixels.repeat(scale, axis=0).repeat(scale, axis=1))


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return grey pixels (H, W) as a PNG file."""
    height, width = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, GREY_BITS, GREY, 0, 0, 0)
    unfiltered = np.pad(pixels, ((0, 0), (1, 0)))  # each line begins with 0, the filter's number
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(unfiltered.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _framed(image: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.pad(image, GAP // 2, constant_values=0.5)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
