"""Random numbers by row: whoever makes some rows of a batch draws the numbers of these alone.

The numbers of a batch are arrays of one stream, one array after the other, each row by row. Before
and after its rows a process moves the generator on by as many numbers as the other rows have, which
takes no longer for a million of them than for one (Brown 1994, "Random Number Generation with
Arbitrary Strides"). So rows have the same numbers whoever draws them, and one process draws those
of all rows at once.

All draws are uniform in [0, 1), each from one output of the generator. numpy's other draws take a
number of outputs that depends on chance, so that nobody could say where the next row's begin; here
and in `foretext.objectives` they are computed from uniform ones.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Draws", "DrawsAmong", "PaddedDraws", "RowDraws", "whole_numbers"]

Numbers = NDArray[np.float64]


class Draws(Protocol):
    """What gives rows of random numbers: `RowDraws`, or a generator of numpy for all rows."""

    def random(self, size: tuple[int, ...], /) -> Numbers:
        """Return numbers of this size, (B, ...), uniform in [0, 1)."""


class RowDraws:
    """The random numbers of some rows of a batch.

    What is asked for must not depend on what is in the rows: numbers of one size for each.

    Args:
        generator: as every process makes it; at the beginning of the batch's numbers. It must be
            one that can be moved on, as numpy's own is, unless all rows are drawn.
        rows: which of the batch's rows these are.
        num_rows: of the whole batch.
    """

    def __init__(self, generator: np.random.Generator, rows: range, num_rows: int) -> None:
        self.generator, self.rows, self.num_rows = generator, rows, num_rows

    def random(self, size: tuple[int, ...], /) -> Numbers:
        """Return numbers of this size, (B, ...), uniform in [0, 1); B is that of the own rows."""
        assert size[0] == len(self.rows), f"{size} numbers for {len(self.rows)} rows"
        each = math.prod(size[1:])
        self._skip(self.rows.start * each)
        drawn = self.generator.random(size)
        self._skip((self.num_rows - self.rows.stop) * each)
        return drawn

    def once(self) -> float:
        """Return one number in [0, 1) for the whole batch, the same in every process."""
        return float(self.generator.random())

    def _skip(self, count: int) -> None:
        if count:
            cast(Any, self.generator.bit_generator).advance(count)


class DrawsAmong:
    """Draws for all rows, and gives the numbers of some.

    Args:
        draws: of all rows.
        chosen: (B,) bool, True = a row whose numbers are wanted.
    """

    def __init__(self, draws: Draws, chosen: NDArray[np.bool_]) -> None:
        self.draws, self.chosen = draws, chosen

    def random(self, size: tuple[int, ...], /) -> Numbers:
        """Return numbers of this size for the rows that were chosen."""
        return self.draws.random((len(self.chosen), *size[1:]))[self.chosen]


class PaddedDraws:
    """Draws for rows of `width` positions, and gives the first ones of them.

    For rows that are as wide as the widest of them, which differs from process to process.
    """

    def __init__(self, draws: Draws, width: int) -> None:
        self.draws, self.width = draws, width

    def random(self, size: tuple[int, ...], /) -> Numbers:
        """Return numbers (B, T) for T positions, `width` at most; or (B, 1), drawn as such."""
        count, width = size
        if width == 1:
            return self.draws.random(size)
        return self.draws.random((count, self.width))[:, :width]


def whole_numbers(drawn: Numbers, below: int | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole numbers from 0 to `below` - 1, all alike, made of numbers in [0, 1)."""
    found: NDArray[np.int64] = (drawn * below).astype(np.int64)
    return found
