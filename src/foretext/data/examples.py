"""What can be learned from, example by example, in an order that a seed decides."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from foretext.data.batch import Batch

__all__ = ["Examples"]


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
        """Put some examples together; `rng` makes the random choices."""

    def part(self, keys: np.ndarray, rows: range, rng: np.random.Generator) -> Batch:
        """Return some rows of a batch, which one of several processes computes.

        Here the whole batch is made and cut. What makes the rows alone, with the same random
        choices, is quicker in many processes; see `foretext.data.examples_by_row`.

        Args:
            keys: of the whole batch.
            rows: which of them are wanted, one at least.
            rng: as it is given to `batch`.
        """
        return self.batch(keys, rng).rows(rows.start, rows.stop)
