"""Texts beside their references: samples, the worst outputs, faults, and quality by length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows.parallel import ParallelText
from foretext.metrics.texts import TextFigure, chrf, text_units
from foretext.tasks.text_to_text.text_faults import FAULTS, TextFaults, text_faults

__all__ = ["Written", "text_findings"]

SAMPLES, WORST, EXAMPLES = 10, 12, 3  # of rows; examples are of each fault
LONGEST = 600  # characters of a text on a page
POINTS = 500  # of lengths
BINS, FEWEST = 8, 5  # of lengths, and rows of one at least


class Written(NamedTuple):
    """What one model wrote for N rows."""

    name: str  # of the model
    texts: Sequence[str]
    ended: Sequence[bool]  # False: it was stopped at the most tokens allowed


class _Judged(NamedTuple):
    """Outputs with their chrF and faults."""

    written: Written
    figure: TextFigure
    faults: list[TextFaults]


def text_findings(
    rows: Sequence[ParallelText], own: Written, baseline: Written | None = None
) -> dict[str, Any]:
    """Return what a page shows of outputs, and of a baseline beside them.

    Args:
        rows: with their references.
        own: outputs of the model.
        baseline: outputs of what it is compared with.
    """
    ours = _judged(rows, own)
    theirs = None if baseline is None else _judged(rows, baseline)
    step = max(1, len(rows) // SAMPLES)
    worst = np.argsort(ours.figure.each, kind="stable")[:WORST].tolist()

    def shown(places: Iterable[int]) -> list[dict[str, Any]]:
        return [_record(rows[place], place, ours, theirs) for place in places]

    examples = _examples(ours)
    return {
        "samples": shown(range(0, len(rows), step)[:SAMPLES]),
        "worst_texts": shown(worst),
        "faulty_texts": [
            {"fault": FAULTS[kind], "texts": shown(places)} for kind, places in examples.items()
        ],
        "tables": [_fault_table(rows, ours, theirs)],
        "quality": _quality(rows, [each for each in (ours, theirs) if each is not None]),
        "text_lengths": _lengths(rows, own),
    }


def _judged(rows: Sequence[ParallelText], written: Written) -> _Judged:
    faults = [
        text_faults(row.source, text, row.target, ended=ended)
        for row, text, ended in zip(rows, written.texts, written.ended, strict=True)
    ]
    return _Judged(written, chrf(written.texts, [row.target for row in rows]), faults)


def _record(row: ParallelText, place: int, ours: _Judged, theirs: _Judged | None) -> dict[str, Any]:
    kinds, phrase = ours.faults[place]
    return {
        "source": _cut(row.source),
        "reference": _cut(row.target),
        "output": _cut(ours.written.texts[place]),
        "baseline": None if theirs is None else _cut(theirs.written.texts[place]),
        "chrf": float(ours.figure.each[place]),
        "faults": [
            f"repeats “{phrase}”" if kind == "repetition" else FAULTS[kind] for kind in kinds
        ],
        "place": row.place,
    }


def _examples(judged: _Judged) -> dict[str, list[int]]:
    """Return some rows of each fault; one that has several is shown once."""
    found: dict[str, list[int]] = {}
    for kind in FAULTS:
        shown = {place for places in found.values() for place in places}
        places = [place for place in _having(kind, judged) if place not in shown]
        if places:
            found[kind] = places[:EXAMPLES]
    return found


def _having(kind: str, judged: _Judged) -> list[int]:
    return [place for place, each in enumerate(judged.faults) if kind in each.kinds]


def _fault_table(
    rows: Sequence[ParallelText], ours: _Judged, theirs: _Judged | None
) -> dict[str, Any]:
    """Return how many outputs have each fault, and what share of references and baseline has."""
    right = [text_faults(row.source, row.target) for row in rows]
    table = []
    for kind, name in FAULTS.items():
        number = len(_having(kind, ours))
        row = {"fault": name, "outputs": number, "share": number / len(rows)}
        if theirs is not None:
            row["of the baseline"] = len(_having(kind, theirs)) / len(rows)
        row["of references"] = sum(kind in each.kinds for each in right) / len(rows)
        table.append(row)
    return {
        "title": "What outputs do wrong",
        "hint": "Shares from 0 to 1. References show what is usual in such texts.",
        "rows": table,
    }


def _quality(rows: Sequence[ParallelText], models: Sequence[_Judged]) -> list[dict[str, Any]]:
    """Return chrF of each model for sources of about the same length, as many rows in each."""
    lengths = np.array([len(text_units(row.source)) for row in rows])
    found = []
    for members in _bins(lengths):
        low, high = int(lengths[members].min()), int(lengths[members].max())
        for judged in models:
            sums = judged.figure.tallies.parts[members].sum(axis=0)
            value = float(judged.figure.tallies.figure(sums))
            name, number = judged.written.name, len(members)
            found.append({"low": low, "high": high, "rows": number, "model": name, "chrf": value})
    return found


def _bins(lengths: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Return the rows of each bin; rows of equal length are in the same one."""
    number = min(BINS, len(lengths) // FEWEST)
    if number < 2:
        return []
    edges = np.unique(np.quantile(lengths, np.arange(1, number) / number, method="lower"))
    bins = np.searchsorted(edges, lengths, side="left")
    members = (np.flatnonzero(bins == each) for each in range(len(edges) + 1))
    return [rows for rows in members if len(rows)]


def _lengths(rows: Sequence[ParallelText], own: Written) -> list[list[int]]:
    """Return pairs of the words of a reference and of its output, for rows of all parts."""
    step = max(1, len(rows) // POINTS)
    pairs = zip(rows[::step], own.texts[::step], strict=True)
    return [[len(text_units(row.target)), len(text_units(text))] for row, text in pairs][:POINTS]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
