"""The rows of a fine-tuning: those to learn from, those held out, and those to test on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["TaskRows", "sampled"]

SAMPLE_SEED = 20_061_015


@dataclass(frozen=True)
class TaskRows:
    """Rows by what they are for."""

    train: Sequence[Any]
    valid: Sequence[Any]  # of a file, or held out from the rows to learn from
    test: Sequence[Any]
    valid_rate: float | None = None  # that was held out; None: there is a file of them
    some: Sequence[Any] | None = None  # of `train`, where there is no time to encode all; None: all

    unlabelled: Sequence[Any] = ()  # texts for a teacher, pretraining or consistency

    @property
    def learned(self) -> Sequence[Any]:
        """The rows that are learned from; labels are found in all of `train`."""
        return self.train if self.some is None else self.some


def sampled(rows: Sequence[Any], size: int, *, in_order: bool = True) -> Sequence[Any]:
    """Return rows drawn at random, the same ones each time; a smaller sample is in a larger one."""
    if in_order and size >= len(rows):
        return rows
    drawn = np.random.default_rng(SAMPLE_SEED).permutation(len(rows))[:size]
    return [rows[index] for index in (np.sort(drawn) if in_order else drawn).tolist()]
