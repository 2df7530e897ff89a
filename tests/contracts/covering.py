"""A few of many combinations, among which every pair of values still occurs.

Most faults that need a combination need two values of it: an objective on a backbone, a task on an
objective. `covering` chooses, one after the other, the case with most that no case before it has,
of several the one whose parts were chosen least; so the choice is the same in every run, and a new
row of a table changes it little. The other combinations are marked `slow`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, TypeVar

import pytest

__all__ = ["covering", "quick_if"]

Case = TypeVar("Case")


def covering(cases: Sequence[Case], parts_of: Callable[[Case], Collection[Hashable]]) -> list[Case]:
    """Choose cases in which everything occurs that occurs in any.

    Args:
        cases: all of them.
        parts_of: a case, such as its values, and pairs of them.
    """
    parts = [frozenset(parts_of(case)) for case in cases]
    missing = set().union(*parts)
    times: Counter[Hashable] = Counter()
    chosen = []

    def worth(index: int) -> tuple[int, int]:
        return len(parts[index] & missing), -sum(times[part] for part in parts[index])

    while missing:
        best = max(range(len(cases)), key=worth)
        chosen.append(best)
        missing -= parts[best]
        times.update(parts[best])
    return [cases[index] for index in sorted(chosen)]


def quick_if(
    cases: Sequence[Case], quick: Sequence[Case], name_of: Callable[[Case], str] = str
) -> list[Any]:
    """Return all cases as parameters of tests, all but `quick` ones marked `slow`."""
    return [
        pytest.param(case, id=name_of(case), marks=[] if case in quick else [pytest.mark.slow])
        for case in cases
    ]
