"""Rows that are held out to choose a model by: each kind as often as among all, groups undivided.

Groups are sorted by their kind and then picked at equal distances (systematic sampling of a sorted
list; Cochran 1977, section 8), so that each kind has its share to within a row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from foretext.base.errors import CorpusError
from foretext.tasks.row_model import RowModel

__all__ = ["held_out", "num_held_out"]

USUAL_RATE = 0.1
ENOUGH = 200  # held-out rows, which are worth a fifth of all rows
LARGEST_RATE = 0.2
MOST = 2000  # held-out rows: more are hardly more certain, and each candidate answers them often
FEWEST_ROWS = 20  # that can be divided
FEWEST_GROUPS = 10  # that can be divided; rows of fewer are divided one by one

Parts = tuple[list[Any], list[Any]]


def num_held_out(num_rows: int) -> int:
    """Return how many rows are held out.

    Raises:
        CorpusError: there are too few rows to divide them.
    """
    if num_rows < FEWEST_ROWS:
        raise CorpusError(
            f"{num_rows} rows to learn from are too few to hold some out and choose a model by "
            f"them; give {FEWEST_ROWS} or more, or others with --valid."
        )
    least = min(ENOUGH, round(LARGEST_RATE * num_rows))
    return min(max(round(USUAL_RATE * num_rows), least), MOST)


def held_out(model: type[RowModel], rows: Sequence[Any], number: int, seed: int) -> Parts:
    """Divide rows into those to learn from and about `number` others, both in their order.

    Args:
        model: which knows what rows have in common.
        rows: all of them.
        number: of rows to hold out.
        seed: of the choice.
    """
    groups = _groups(model, rows)
    kinds = {group[0]: model.stratum_of(rows[group[0]]) for group in groups}
    num_groups = Counter(kinds.values())
    groups = [group for group in groups if num_groups[kinds[group[0]]] > 1]  # else never learned
    order = np.random.default_rng(seed).permutation(len(groups))
    shuffled = sorted((groups[index] for index in order), key=lambda group: kinds[group[0]])
    chosen = _at_equal_distances(shuffled, number)
    learned = [row for index, row in enumerate(rows) if index not in chosen]
    return learned, [rows[index] for index in sorted(chosen)]


def _groups(model: type[RowModel], rows: Sequence[Any]) -> list[list[int]]:
    """Return the rows of each group, by their places."""
    groups: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        groups[model.group_of(row)].append(index)
    if len(groups) < FEWEST_GROUPS:
        return [[index] for index in range(len(rows))]
    return list(groups.values())


def _at_equal_distances(groups: Sequence[Sequence[int]], number: int) -> set[int]:
    """Return the rows of groups that are taken, so that their share is the same everywhere."""
    rate = number / max(sum(map(len, groups)), 1)
    chosen: set[int] = set()
    passed = 0
    for group in groups:
        passed += len(group)
        if len(chosen) + len(group) / 2 <= passed * rate:
            chosen.update(group)
    return chosen
