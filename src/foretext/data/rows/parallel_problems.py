"""What a person should know of sources and targets before training, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foretext.corpus.findings import Problem
from foretext.data.rows.findings import gravest_first, many, problem_of
from foretext.data.rows.parallel import ParallelText

__all__ = ["find_parallel_problems"]

_ENOUGH = 20  # rows from which the ratio of lengths means something
_ODD = 9.0  # times the usual ratio of lengths from which texts may not belong together
_MANY = 0.01  # share of rows from which repetition or copying is worth a warning


def find_parallel_problems(
    train: Sequence[ParallelText], test: Sequence[ParallelText] = ()
) -> list[Problem]:
    """Return the problems of rows to learn from and to test on, the gravest first."""
    found = [*_empty([*train, *test]), *_header(train), *_copies(train), *_odd_lengths(train)]
    return gravest_first([*found, *_repeats(train), *_overlap(train, test)])


def _empty(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    empty = [row for row in rows if not row.is_whole]
    if len(empty) == len(rows):
        yield problem_of("error", "No row has both a source and a target; fill them in.")
    elif empty:
        yield problem_of(
            "warning",
            f"{many(empty, 'row has', 'rows have')} an empty source or target and "
            f"{'is' if len(empty) == 1 else 'are'} not learned from; fill in or remove them.",
            empty[0],
        )


def _header(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    """Name a first row that looks like the names of two columns."""
    if len(rows) < _ENOUGH or not rows[0].place.endswith(":1"):
        return
    words = [len(text.split()) for text in (rows[0].source, rows[0].target)]
    usual = np.median([len(row.source.split()) for row in rows])
    if max(words) == 1 and usual > 2:
        yield problem_of(
            "warning",
            f"The first row is '{rows[0].source}' and '{rows[0].target}', a word each, and may be "
            "a header; name its columns (finetune: --source and --target), or remove the line.",
            rows[0],
        )


def _copies(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    same = [row for row in rows if row.is_whole and row.source.strip() == row.target.strip()]
    if len(same) == len(rows) or len(same) < _MANY * len(rows) or not same:
        return
    yield problem_of(
        "warning",
        f"{len(same):,} of {len(rows):,} rows ({len(same) / len(rows):.1%}) have a target that is "
        "the source itself, and teach to copy; remove them where nothing should be copied.",
        same[0],
    )


def _odd_lengths(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    whole = [row for row in rows if row.is_whole]
    if len(whole) < _ENOUGH:
        return
    ratios = np.log([len(row.target) / len(row.source) for row in whole])
    odd = np.flatnonzero(np.abs(ratios - np.median(ratios)) > np.log(_ODD))
    if len(odd):
        yield problem_of(
            "note",
            f"In {len(odd):,} of {len(rows):,} rows ({len(odd) / len(rows):.1%}) the target, beside"
            f" its source, is over {_ODD:.0f} times as long or as short as usual; check that they "
            "belong together.",
            whole[odd[0]],
        )


def _repeats(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    again = []
    for row in rows:
        key = (row.source, row.target)
        if key in seen:
            again.append(row)
        seen.add(key)
    if again:
        yield problem_of(
            "warning" if len(again) >= _MANY * len(rows) else "note",
            f"{len(again):,} of {len(rows):,} rows ({len(again) / len(rows):.1%}) repeat an "
            "earlier one; remove them, or they weigh twice.",
            again[0],
        )


def _overlap(train: Sequence[ParallelText], test: Sequence[ParallelText]) -> Iterator[Problem]:
    known = {row.source for row in train}
    if both := [row for row in test if row.source in known]:
        yield problem_of(
            "warning",
            f"{len(both):,} of {len(test):,} test rows ({len(both) / len(test):.1%}) have a source "
            "that occurs in training too; score with and without them.",
            both[0],
        )
