"""Masked rows, and the random numbers by which a generator draws its tokens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from foretext.data.batch import Batch
from foretext.data.examples import Examples

__all__ = ["DrawnRows"]


class DrawnRows:
    """Examples with a number in [0, 1) for each position, as the target `draws`, (B, T) float32.

    The numbers are part of the batch of a step. So a generator draws the same tokens whether a run
    was interrupted or not, in micro-batches and on several processes.

    Args:
        rows: with the target `original`, (B, T).
    """

    def __init__(self, rows: Examples) -> None:
        self.rows = rows

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the keys of the rows, shuffled."""
        return self.rows.keys(rng)

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Return the tokens of each row; None: all have as many."""
        return self.rows.lengths(keys)

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Make the batch, then draw its numbers."""
        batch = self.rows.batch(keys, rng)
        draws = torch.from_numpy(rng.random(batch.targets["original"].shape, np.float32))
        return replace(batch, targets={**batch.targets, "draws": draws})
