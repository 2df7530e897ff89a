"""Examples of which each process makes its own rows of a batch, and no others."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from foretext.data.batch import Batch
from foretext.data.examples import Examples
from foretext.data.row_draws import RowDraws

__all__ = ["ExamplesByRow"]


class ExamplesByRow(Examples):
    """Examples whose rows are made without looking at the other rows of the batch.

    They may be padded less than in the whole batch, but have the same tokens.
    """

    @abstractmethod
    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Put some examples together.

        Args:
            keys: of these examples alone.
            draws: makes the random choices of these rows, and of the batch that they are part of.
        """

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Put some examples together; `rng` makes the random choices."""
        return self.part(keys, range(len(keys)), rng)

    def part(self, keys: np.ndarray, rows: range, rng: np.random.Generator) -> Batch:
        """Make some rows of a batch, whose other rows are neither read nor drawn."""
        return self.batch_of(keys[rows.start : rows.stop], RowDraws(rng, rows, len(keys)))
