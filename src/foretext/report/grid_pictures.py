"""Matrices as small pictures in a page: a PNG of one colour, the darker the larger the value.

A hundred heads of attention are half a million numbers. As cells of a table they would take a
browser minutes; a picture of each takes some hundred bytes, and needs no script.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from foretext.shown import Grids

__all__ = ["pictures", "png"]

COLOUR = (42, 111, 219)  # of a full cell; its transparency says how large the value is


def pictures(grids: Grids) -> list[str]:
    """Return a picture of each matrix as a ``data:`` URL; the largest value of all is full."""
    values = np.array(grids.values, np.float64)  # (N, R, C)
    sizes = np.nan_to_num(np.abs(values))
    shares = sizes / (sizes.max(initial=0.0) or 1.0)
    return [f"data:image/png;base64,{base64.b64encode(png(each)).decode()}" for each in shares]


def png(shares: np.ndarray) -> bytes:
    """Return a PNG of shares from 0 to 1, (R, C), a pixel each."""
    rows, columns = shares.shape
    pixels = np.empty((rows, columns, 4), np.uint8)
    pixels[..., :3] = COLOUR
    pixels[..., 3] = np.round(255 * shares)
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)], 1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)
    body = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9))
    return b"\x89PNG\r\n\x1a\n" + body + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
