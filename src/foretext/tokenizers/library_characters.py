"""Classes of characters, read from the `tokenizers` library.

So our tables agree with it in every version of Unicode; hypothesis tests it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

__all__ = ["NUM_POINTS", "matching_points", "point_chunks"]

NUM_POINTS = sys.maxunicode + 1
SURROGATES = range(0xD800, 0xE000)
ASSIGNED = (*range(0x33000), *range(0xE0000, 0xE0200))  # where Unicode 17 has any character
CHUNK = 1 << 14  # characters per call of the library, which needs 20 bytes for each


def matching_points(pattern: str) -> np.ndarray:
    """Return the code points that match a regular expression of the library, (M,) int64."""
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex(f"(?:{pattern})+"), behavior="removed", invert=True)
    found = [
        points[start:end]
        for points, text in point_chunks()
        for _, (start, end) in split.pre_tokenize_str(text)
    ]
    return np.concatenate(found)


def point_chunks() -> Iterator[tuple[np.ndarray, str]]:
    """Yield characters for calls of the library, with their code points (C,) int64."""
    points = np.array([point for point in ASSIGNED if point not in SURROGATES])
    for first in range(0, points.size, CHUNK):
        chunk = points[first : first + CHUNK]
        yield chunk, chunk.astype("<u4").tobytes().decode("utf-32-le")
