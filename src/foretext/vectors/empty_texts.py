"""Texts that get no vector, because the model knows none of their words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.messages import message

__all__ = ["empty_doubt", "num_empty"]

MANY = 0.1  # share of texts without a vector, from which the language is doubtful
COPIED = 1 << 13  # rows that are looked at together


def num_empty(vectors: NDArray[np.generic]) -> int:
    """Return how many of the vectors (N, D) have zeros alone."""
    starts = range(0, len(vectors), COPIED)
    return sum(int((~vectors[start : start + COPIED].any(axis=1)).sum()) for start in starts)


def empty_doubt(number: int, of: int, what: str = "texts") -> str | None:
    """Return half a sentence where many texts have no vector; None: few have none.

    Args:
        number: texts whose vector is zeros.
        of: all texts.
        what: they are, in the plural.
    """
    if not number or number < MANY * of:
        return None
    return message(
        "terminal.doubt.empty",
        number=number,
        of=of,
        what=message(f"terminal.doubt.of_{what}"),
        rate=number / of,
    )
