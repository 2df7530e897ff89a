"""The fine-tunings of a candidate: one for each seed, or for each number and draw of labels.

Fewer labels need less time, though not in proportion: a cell weighs as the root of its number of
labels, and a fifth of the largest one at least. The time of a candidate is divided by these
weights; what one cell leaves goes to those after it, which have more labels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Cell", "cells_of", "measured_number", "total_weight"]

LEAST_WEIGHT = 0.2
ROW_SECONDS = {"classical": 0.0005, "vectors": 0.002, "from scratch": 0.002}  # of an answer, about
SLOWEST_ROW = 0.005  # of any other candidate
ANSWERING_RATE = 0.1  # of the budget, about, for the answers of all cells
FEWEST_MEASURED = 500  # rows that cells answer in any case


@dataclass(frozen=True)
class Cell:
    """One fine-tuning.

    Attributes:
        labels: rows that it learns from.
        draw: of these rows; of all rows, which are drawn in one way alone, the seed.
        weight: of its time.
        learns_all: whether these are all rows.
        is_last: whether no cell has more labels: its model is kept.
    """

    labels: int
    draw: int
    weight: float = 1.0
    learns_all: bool = True
    is_last: bool = True


def cells_of(numbers: Sequence[int], num_rows: int, *, draws: int, seeds: int) -> list[Cell]:
    """Return the fine-tunings of a candidate, those with few labels first.

    Args:
        numbers: of labels, ascending; (): all rows alone.
        num_rows: to learn from.
        draws: of each number that is not that of all rows.
        seeds: of all rows.
    """
    return list(_cells(numbers or [num_rows], num_rows, draws, seeds))


def _cells(numbers: Sequence[int], num_rows: int, draws: int, seeds: int) -> Iterator[Cell]:
    largest = numbers[-1]
    for number in numbers:
        weight = max(math.sqrt(number / max(largest, 1)), LEAST_WEIGHT)
        learns_all = number == num_rows
        for draw in range(seeds if learns_all else draws):
            yield Cell(number, draw, weight, learns_all, number == largest)


def total_weight(cells: Sequence[Cell]) -> float:
    """Return how many times as long all of them take as one with the most labels."""
    return math.fsum(cell.weight for cell in cells)


def measured_number(
    num_rows: int, groups: Sequence[str], num_cells: int, budget: float, slowness: float = 1.0
) -> int:
    """Return how many rows every cell answers, the same ones, so that draws can be compared.

    Args:
        num_rows: that could be measured.
        groups: of the candidates.
        num_cells: of each candidate.
        budget: seconds of everything.
        slowness: of machine and rows, as a multiple of what is usual.
    """
    each = math.fsum(ROW_SECONDS.get(group, SLOWEST_ROW) for group in groups)
    affordable = int(ANSWERING_RATE * budget / (each * num_cells * slowness))
    return min(num_rows, max(affordable, FEWEST_MEASURED))
