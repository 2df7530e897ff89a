"""What is done with many rows, timed with a few of them before it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from foretext.finetuning.task_rows import sampled
from foretext.progress.budget import Budget

__all__ = ["FIRST", "Cost", "rehearsed"]

FIRST, GROWTH = 8, 4  # rows that are timed, and how many times more come next
REHEARSAL_RATE = 0.003  # of the time, by which more rows have to take longer than the first ones


class Cost(NamedTuple):
    """Seconds that something takes with a number of rows."""

    fixed: float
    per_row: float

    def of(self, num_rows: int) -> float:
        """Seconds with so many rows; 0 without any."""
        return self.fixed + self.per_row * num_rows if num_rows else 0.0

    def rows_in(self, seconds: float) -> int:
        """Return how many rows it can be done with in some time; 0: not one."""
        return max(round((seconds - self.fixed) / max(self.per_row, 1e-9)), 0)


def rehearsed(
    action: Callable[[Sequence[Any]], object],
    rows: Sequence[Any],
    budget: Budget,
    *,
    first: int = FIRST,
) -> Cost:
    """Time an action with more and more rows; the first and the last time make a line.

    Args:
        action: that will be done with all of the rows.
        rows: are drawn at random.
        budget: of the command.
        first: rows that are timed first.
    """
    if not rows:
        return Cost(0.0, 0.0)
    drawn = sampled(rows, len(rows), in_order=False)
    action(drawn[:first])  # makes the kernels ready

    def timed(size: int) -> float:
        began = budget.elapsed
        action(drawn[:size])
        return budget.elapsed - began

    times: list[tuple[int, float]] = []
    size = min(first, len(drawn))
    while True:
        times.append((size, timed(size)))
        more = times[-1][1] - times[0][1]  # than the few rows took
        if size == len(drawn) or more >= REHEARSAL_RATE * budget.seconds:
            break
        size = min(GROWTH * size, len(drawn))
    (few, short), (many, long) = times[0], times[-1]
    if many == few:
        return Cost(0.0, long / many)
    long = min(long, timed(many))  # another program may have had a moment
    per_row = max(long - short, 0.0) / (many - few)
    return Cost(max(short - few * per_row, 0.0), per_row)
