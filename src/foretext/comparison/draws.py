"""Which rows stand for so many labels: several draws, in each of which the larger numbers go on.

A draw of 50 rows contains that of 20, so that a curve over them shows what 30 more labels are
worth. Each kind of rows, such as a label, has its share to within a row in every number: the seats
of a growing parliament by the quota method (Balinski & Young 1975), which never takes a seat away.
Before that every kind has one row, in numbers that have room for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.messages import message

__all__ = ["ALL", "Labels", "nested_draw", "numbers_of", "read_labels"]

ALL: Literal["all"] = "all"
FEWEST = 2  # rows of which anything can be learned
MOST_NUMBERS = 20

Labels = tuple[int | Literal["all"], ...]  # ascending, "all" last


def read_labels(given: str | int | Sequence[str | int] | None, option: str = "--labels") -> Labels:
    """Return numbers of labels, ascending, each once; "all" comes last.

    Args:
        given: ``"20,50,all"``, or such a list; None: ().
        option: that sentences name.

    Raises:
        SettingError: one is no number, or below 2; or there are too many.
    """
    if given is None:
        return ()
    each = [given] if isinstance(given, int) else given
    parts = each.split(",") if isinstance(each, str) else map(str, each)
    found = {_number(part.strip(), option) for part in parts if part.strip()}
    if not found:
        raise SettingError(message("options.curve.numbers", option=option))
    if len(found) > MOST_NUMBERS:
        raise SettingError(
            message("options.curve.too_many", option=option, number=len(found), most=MOST_NUMBERS)
        )
    numbers = sorted(number for number in found if number != ALL)
    return (*numbers, ALL) if ALL in found else tuple(numbers)


def numbers_of(labels: Labels, num_rows: int) -> tuple[list[int], str | None]:
    """Return the numbers of rows, ascending, and a note where some are more than there are.

    Args:
        labels: of `read_labels`.
        num_rows: to learn from.
    """
    numbers = sorted({num_rows if each == ALL else min(each, num_rows) for each in labels})
    above = [each for each in labels if each != ALL and each > num_rows]
    if not above:
        return numbers, None
    named = " and ".join(f"{each:,}" for each in above)
    return numbers, (
        f"{named} labels are more than the {num_rows:,} rows to learn from; all rows stand for them"
    )


def nested_draw(
    kinds: Sequence[str], numbers: Sequence[int], *, seed: int, draw: int
) -> dict[int, list[int]]:
    """Return, by number, the indices of the rows that are drawn, in the order of the rows.

    Args:
        kinds: of all rows, such as their labels; rows of one kind are interchangeable.
        numbers: ascending, up to the number of rows.
        seed: of all draws.
        draw: its number; another one draws other rows.
    """
    rng = np.random.default_rng((seed, draw))
    rows = _shuffled(kinds, rng)
    sizes = np.array([len(own) for own in rows])
    found: dict[int, list[int]] = {}
    taken = np.zeros(len(rows), np.int64)
    chosen: list[int] = []
    for number, fewest in zip(numbers, _fewest_kinds(numbers, len(rows)), strict=True):
        for kind in _next_kinds(sizes, taken, number, fewest):
            chosen.append(rows[kind][taken[kind]])
            taken[kind] += 1
        found[number] = sorted(chosen)
    return found


def _number(text: str, option: str) -> int | Literal["all"]:
    if text.lower() == ALL:
        return ALL
    if not text.isdecimal() or int(text) < FEWEST:
        raise SettingError(
            f"{option}: '{text}' is no number of labels; give numbers from {FEWEST} on, and 'all' "
            "for every row, such as 20,100,all."
        )
    return int(text)


def _shuffled(kinds: Sequence[str], rng: np.random.Generator) -> list[list[int]]:
    """Return the indices of the rows of each kind, kinds and rows in random order."""
    found: dict[str, list[int]] = defaultdict(list)
    for index in rng.permutation(len(kinds)).tolist():
        found[kinds[index]].append(index)
    names = sorted(found)
    return [found[names[index]] for index in rng.permutation(len(names))]


def _fewest_kinds(numbers: Sequence[int], kinds: int) -> Iterator[int]:
    """Yield how many kinds each number has at least, so that the next ones have room for all."""
    for index, number in enumerate(numbers):
        later = [each for each in numbers[index:] if each >= kinds]
        yield max((kinds - (each - number) for each in later), default=0)


def _next_kinds(
    sizes: NDArray[np.int64], taken: NDArray[np.int64], number: int, fewest: int
) -> Iterator[int]:
    """Yield which kind has the next row, until there are `number`; `taken` grows meanwhile."""
    total = int(sizes.sum())
    while (drawn := int(taken.sum())) < number:
        missing = np.flatnonzero(taken == 0)
        short = fewest - (len(sizes) - len(missing))
        if short > 0 and (number >= len(sizes) or short == number - drawn):
            yield int(missing[np.argmax(sizes[missing])])
            continue
        below = taken * total < (drawn + 1) * sizes  # else it would have more than its share
        yield int(np.argmax(np.where(below, sizes / (taken + 1), -1.0)))
