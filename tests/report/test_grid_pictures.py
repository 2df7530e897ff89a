from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from foretext.report.grid_pictures import pictures, png
from foretext.shown import Grids


def pixels(data: bytes) -> np.ndarray:
    """(R, C, 4) of a PNG without filters."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (check,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert check == zlib.crc32(name + body)
        chunks[name] = body
        at += 12 + size
    columns, rows = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(rows, -1)
    assert (lines[:, 0] == 0).all()
    return lines[:, 1:].reshape(rows, columns, 4)


def test_a_share_is_the_opacity_of_a_pixel() -> None:
    found = pixels(png(np.array([[0.0, 0.5, 1.0], [1.0, 0.0, 0.2]])))
    assert found[..., 3].tolist() == [[0, 128, 255], [255, 0, 51]]


def test_all_matrices_have_one_scale() -> None:
    given = [[[0.5, None]], [[-2.0, 1.0]]]
    grids = Grids.of("g", ["1", "2"], "a", "xy", given, 2)
    found = [base64.b64decode(url.partition(",")[2]) for url in pictures(grids)]
    assert [pixels(each)[..., 3].tolist() for each in found] == [[[64, 0]], [[255, 128]]]
