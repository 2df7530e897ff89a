"""What follows from the size of a text, the time, and a model's width, without measuring.

Vocabulary: Gowda and May 2020 ("Finding the Optimal Vocabulary Size for Neural Machine
Translation") want about a hundred occurrences of nearly every token, which for a text of N tokens
whose counts fall as 1/rank is V ln V = N / 100; the steps below follow it. Batch: the larger the
lower the loss is to become (McCandlish et al. 2018), so a short training takes small ones. Learning
rate: with Adam the best one is inverse to the width (Yang et al. 2021, "Tensor Programs V"). First
weights: the deviation of 0.02 that everyone has from BERT is meant for widths about a thousand; a
narrow model that begins with it hardly attends to anything, and learns nothing but the frequencies
of words for hundreds of steps. docs/log.md has the measurements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

__all__ = [
    "default_budget",
    "row_length_for",
    "rows_per_step",
    "scaled_init_std",
    "scaled_learning_rate",
    "vocab_size_for",
]

REFERENCE_DIM = 256  # the width that a recipe's learning rate is meant for
INIT_SCALE = 0.7

VOCABULARIES = ((2e6, 4_000), (2e7, 8_000), (2e8, 16_000))  # up to so many bytes, tokens
LARGEST_VOCABULARY = 32_000
ROW_LENGTHS = ((1_800, 128), (3 * 3_600, 256))  # up to so many seconds, tokens
LONGEST_ROW = 512
BATCHES = ((600, 16), (3_600, 32), (6 * 3_600, 64))  # up to so many seconds, rows of 128 tokens
LARGEST_BATCH = 128

SECONDS_A_MEGABYTE = 60.0
SHORTEST, LONGEST = 30.0, 1_800.0  # default budgets


def default_budget(corpus_bytes: float) -> float:
    """Return the default budget in seconds: a minute a megabyte, within bounds.

    About ten epochs with the smallest models, less than one with large ones.
    """
    return min(max(SECONDS_A_MEGABYTE * corpus_bytes / 1e6, SHORTEST), LONGEST)


def vocab_size_for(corpus_bytes: float) -> int:
    """Return how many tokens a text of so many bytes gives enough occurrences of."""
    return _looked_up(corpus_bytes, VOCABULARIES, LARGEST_VOCABULARY)


def row_length_for(seconds: float) -> int:
    """Return the tokens of a row: short rows make more steps in the same time."""
    return _looked_up(seconds, ROW_LENGTHS, LONGEST_ROW)


def rows_per_step(seconds: float, row_length: int) -> int:
    """Return the rows of a batch; longer ones are fewer."""
    return max(1, _looked_up(seconds, BATCHES, LARGEST_BATCH) * 128 // row_length)


def scaled_learning_rate(rate: float, dim: int) -> float:
    """Return what a rate for the reference width becomes at another, with two digits."""
    return float(f"{rate * REFERENCE_DIM / dim:.2g}")


def scaled_init_std(dim: int) -> float:
    """Return the deviation of first weights: inverse to the root of the width, with two digits."""
    return float(f"{INIT_SCALE * dim**-0.5:.2g}")


def _looked_up(value: float, steps: Sequence[tuple[float, int]], beyond: int) -> int:
    place = bisect_right([limit for limit, _ in steps], value)
    return steps[place][1] if place < len(steps) else beyond
