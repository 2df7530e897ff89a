"""BM25: how well a passage fits the words of a query, by how often and how rarely they occur.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", 3.4, with the
factor k1 + 1 that leaves the weight of a word that occurs once in a passage of average length at
its idf. For a passage of length L and a word that occurs f times in it, and in n of N passages:

    ln(1 + (N - n + 0.5) / (n + 0.5)) · f (k1 + 1) / (f + k1 (1 - b + b L / average L))

The 1 in the logarithm, as Lucene has it, is not in the paper: without it a word that occurs in
more than half of the passages would count against those that have it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config

__all__ = ["BM25", "idf", "term_scores"]


class BM25(Config):
    """The settings of BM25."""

    k1: float = Field(default=1.2, ge=0)
    """How much further occurrences of a word in a passage count; 0: only the first one does."""
    b: float = Field(default=0.75, ge=0, le=1)
    """How much longer passages are put back; 0: not at all."""


def idf(num_with: int, num_passages: int) -> float:
    """Return the weight of a word that is in `num_with` of so many passages."""
    return math.log1p((num_passages - num_with + 0.5) / (num_with + 0.5))


def term_scores(
    counts: NDArray[np.unsignedinteger],
    lengths: NDArray[np.float32],
    weight: float,
    settings: BM25,
) -> NDArray[np.float32]:
    """Return what a word adds to the scores of the passages that have it, (R,).

    Args:
        counts: how often it occurs in each, (R,).
        lengths: of each, divided by the average, (R,).
        weight: idf of the word.
        settings: of the formula.
    """
    k1, b = np.float32(settings.k1), np.float32(settings.b)
    frequency = counts.astype(np.float32)
    room = k1 * (1 - b + b * lengths)
    scores = np.float32(weight) * frequency * (k1 + 1) / (frequency + room)
    return scores.astype(np.float32, copy=False)
