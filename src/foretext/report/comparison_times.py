"""Where the time of each candidate went, as bars and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from foretext.report.cells import duration
from foretext.report.comparison_costs import group_color
from foretext.report.comparison_files import ComparedCandidate

__all__ = ["Part", "TimeRow", "time_rows"]

PARTS = {"shared": "shared work", "pretraining": "pretraining", "finetuning": "fine-tuning"}
REST = "other"  # opening, answering, measuring


class Part(NamedTuple):
    """A stretch of a candidate's time."""

    kind: str
    percent: float  # of the widest row
    words: str


class TimeRow(NamedTuple):
    """What a candidate was given, and what it used, as text; and as a bar."""

    name: str
    color: int
    parts: list[Part]
    given_percent: float
    given: str
    used: str
    shared: str
    pretraining: str
    finetuning: str
    rounds: int


def time_rows(candidates: Sequence[ComparedCandidate]) -> list[TimeRow]:
    """Return a row for each candidate that had time; all bars have the same scale."""
    timed = [each for each in candidates if each.rounds]
    widest = max((max(_given(each), _spent(each)) for each in timed), default=0.0) or 1.0
    return [_time_row(each, widest) for each in timed]


def _time_row(each: ComparedCandidate, widest: float) -> TimeRow:
    sums = {kind: sum(seconds[kind] for seconds in _seconds(each)) for kind in (*PARTS, REST)}
    return TimeRow(
        name=each.name,
        color=group_color(each.group),
        parts=list(_parts(each, widest)),
        given_percent=100 * _given(each) / widest,
        given=duration(_given(each)),
        used=duration(sum(found.used for found in each.rounds)),
        shared=_spent_on(sums["shared"]),
        pretraining=_spent_on(sums["pretraining"]),
        finetuning=_spent_on(sums["finetuning"]),
        rounds=len(each.rounds),
    )


def _spent_on(seconds: float) -> str:
    return duration(seconds) if seconds > 0 else "–"


def _parts(each: ComparedCandidate, widest: float) -> Iterator[Part]:
    for number, seconds in enumerate(_seconds(each), 1):
        of = f", round {number}" if len(each.rounds) > 1 else ""
        for kind, words in {**PARTS, REST: REST}.items():
            if seconds[kind] > 0:
                yield Part(kind, 100 * seconds[kind] / widest,
                           f"{words}{of}: {duration(seconds[kind])}")  # fmt: skip


def _seconds(each: ComparedCandidate) -> Iterator[dict[str, float]]:
    """Yield, for each round, what was spent on what; shared work is a part of the pretraining."""
    for found in each.rounds:
        known = {
            "shared": found.shared,
            "pretraining": max(0.0, found.pretraining - found.shared),
            "finetuning": found.finetuning,
        }
        yield {**known, REST: max(0.0, found.used - sum(known.values()))}


def _given(each: ComparedCandidate) -> float:
    return sum(found.given for found in each.rounds)


def _spent(each: ComparedCandidate) -> float:
    return sum(sum(seconds.values()) for seconds in _seconds(each))
