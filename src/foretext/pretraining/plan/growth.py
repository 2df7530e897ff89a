"""How long some work on a text takes, by its length: a line through two measurements of a sample.

What is slow, such as learning a unigram model, is measured on the first block alone, and taken for
a little slower than it is.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from foretext.pretraining.plan.sample import CorpusSample
from foretext.pretraining.plan.stopwatch import Timer

__all__ = ["Growth", "affordable_bytes", "measured_growth"]

FEW = 1 << 14  # characters, which load what the first reading of a text loads
QUICK = 1.0  # seconds that the whole sample may take; else only its first block is read
HALVINGS = 40


@dataclass(frozen=True)
class Growth:
    """How the seconds of some work grow with the text.

    Attributes:
        begin: seconds whatever the text.
        per_byte: seconds a byte, in UTF-8.
        most: bytes after which it takes no longer; None: there are none.
    """

    begin: float
    per_byte: float
    most: float | None = None

    def seconds(self, num_bytes: float) -> float:
        """Return the seconds that so many bytes take."""
        read = num_bytes if self.most is None else min(num_bytes, self.most)
        return self.begin + self.per_byte * read


def measured_growth(
    work: Callable[[CorpusSample], object],
    sample: CorpusSample,
    *,
    most: float | None = None,
    workers: int = 1,
    timer: Timer = time.monotonic,
) -> Growth:
    """Time some work on the first block of a sample and, where that is quick, on all of it.

    Args:
        work: reads a text.
        sample: of the text.
        most: bytes after which it takes no longer; None: there are none.
        workers: that share slow work on all of the text, but not on a sample.
        timer: counts seconds.
    """
    first = sample.beginning()
    work(_few_documents(first))  # which loads kernels and tables
    short = _timed(work, first, timer)
    ratio = sample.num_bytes / first.num_bytes
    if ratio == 1 or short * ratio > QUICK:
        return Growth(0.0, short / workers / first.num_bytes, most)
    long = _timed(work, sample, timer)
    per_byte = max(long - short, 0.0) / (sample.num_bytes - first.num_bytes)
    return Growth(max(long - per_byte * sample.num_bytes, 0.0), per_byte, most)


def affordable_bytes(growths: Collection[Growth], seconds: float, every: float) -> float:
    """Return how many bytes all of the work together can read in a time.

    Args:
        growths: of each work.
        seconds: for all of it.
        every: bytes that there are.
    """
    low, high = 0.0, every
    if _all_seconds(growths, every) <= seconds:
        return every
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _all_seconds(growths, middle) <= seconds:
            low = middle
        else:
            high = middle
    return low


def _all_seconds(growths: Collection[Growth], num_bytes: float) -> float:
    return sum(growth.seconds(num_bytes) for growth in growths)


def _few_documents(text: CorpusSample) -> CorpusSample:
    """The first documents, or all where the first one is long."""
    block = text.texts[0]
    few = copy.copy(text)
    few.texts = [block[: block.rfind("\n\n", 0, FEW) + 2] if "\n\n" in block[:FEW] else block]
    return few


def _timed(work: Callable[[CorpusSample], object], text: CorpusSample, timer: Timer) -> float:
    began = timer()
    work(text)
    return timer() - began
