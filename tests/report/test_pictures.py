"""PNG files, read back by hand, and the drawing of a network."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from foretext.report.pictures import picture_of, png
from foretext.report.structure import structure_svg


def read_png(content: bytes) -> np.ndarray:
    """The grey pixels (H, W) of a file without filters."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", content[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, bits, colour, *others = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (bits, colour, others) == (8, 0, [0, 0, 0])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not lines[:, 0].any()
    return lines[:, 1:]


@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_pixels_come_back(pixels: np.ndarray) -> None:
    np.testing.assert_array_equal(read_png(png(pixels)), pixels)


def test_rows_stand_below_each_other() -> None:
    black, white = np.zeros((3, 4, 5), np.float32), np.full((3, 4, 5), 1.5, np.float32)
    pixels = read_png(picture_of([black, white], scale=2))
    assert pixels.shape == (2 * 2 * (4 + 2), 2 * 3 * (5 + 2))
    assert (pixels[2:10, 2:12] == 0).all()
    assert (pixels[14:22, 2:12] == 255).all()
    assert (pixels[:2] == 128).all()


def test_the_drawing_has_a_block_for_every_layer_that_computes() -> None:
    layers = [
        ("input", (28, 28)),
        ("Unflatten", (1, 28, 28)),
        ("Conv2d", (16, 14, 14)),
        ("ReLU", (16, 14, 14)),
        ("Flatten", (3136,)),
        ("Linear", (32,)),
        ("<Linear>", (10_000,)),
    ]
    drawing = ElementTree.fromstring(structure_svg(layers))
    words = [text.text for text in drawing.iter("text")]
    assert words == [
        "input", "28 × 28", "Conv2d", "ReLU", "16 × 14 × 14", "Linear", "32", "<Linear>", "10,000",
    ]  # fmt: skip
    assert len(list(drawing.iter("path"))) == 3  # arrows
    heights = [float(rect.get("height")) for rect in drawing.iter("rect")]
    assert len(heights) == 1 + 5 + 1 + 1  # five planes stand for sixteen
    assert heights[0] == max(heights)
    assert heights[1] == heights[0] / 2
