"""Masked rows, and the random numbers by which a generator draws its tokens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from foretext.data.batch import Batch
from foretext.data.examples_by_row import ExamplesByRow
from foretext.data.row_draws import RowDraws

__all__ = ["DrawnRows"]

STEPS = 1 << 24  # between 0 and 1 that a float32 tells apart: none of them is rounded to 1


class DrawnRows(ExamplesByRow):
    """Examples with a number in [0, 1) for each position, as the target `draws`, (B, T) float32.

    The numbers are part of the batch of a step. So a generator draws the same tokens whether a run
    was interrupted or not, in micro-batches and on several processes.

    Args:
        rows: with the target `original`, (B, T).
    """

    drawing = 2

    def __init__(self, rows: ExamplesByRow) -> None:
        self.rows = rows

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the keys of the rows, shuffled."""
        return self.rows.keys(rng)

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Return the tokens of each row; None: all have as many."""
        return self.rows.lengths(keys)

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Make the rows, then draw their numbers."""
        batch = self.rows.batch_of(keys, draws)
        drawn = np.floor(draws.random(tuple(batch.targets["original"].shape)) * STEPS) / STEPS
        found = torch.from_numpy(drawn.astype(np.float32))
        return replace(batch, targets={**batch.targets, "draws": found})
