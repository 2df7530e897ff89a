"""What can be learned from, example by example, in an order that a seed decides."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np

from foretext.data.batch import Batch
from foretext.data.row_draws import RowDraws

__all__ = ["Examples", "ExamplesByRow"]


class Examples(Protocol):
    """Examples known by keys, so that a step needs its number alone to find its batch.

    A class of examples names this one as its base, for what has a default here.

    Attributes:
        drawing: number of the way in which batches are drawn. It grows when the same `rng` makes
            other batches than before: a run that began in another way is not resumed.
    """

    drawing: int = 1

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Keys of one walk over all examples, (N,) int64, in an order drawn from `rng`."""

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """Tokens of each example, (N,); None where all have as many."""

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Put some examples together; `rng` makes the random choices.

        Args:
            keys: of the examples, as `keys` gives them.
            rng: makes the random choices.
        """

    def part(self, keys: np.ndarray, rows: range, rng: np.random.Generator) -> Batch:
        """Return some rows of a batch, which one of several processes computes.

        Here the whole batch is made and cut. What makes the rows alone, with the same random
        choices, is quicker in many processes; see `foretext.data.examples`.

        Args:
            keys: of the whole batch.
            rows: which of them are wanted, one at least.
            rng: as it is given to `batch`.
        """
        return self.batch(keys, rng).rows(rows.start, rows.stop)


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
