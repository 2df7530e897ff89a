"""The part of a page that shows texts: outputs beside references, and what was wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from foretext.metrics.texts import text_units, unit_pattern
from foretext.report.text_charts import (
    alignment_chart,
    alignment_width,
    length_chart,
    quality_chart,
)

__all__ = ["Run", "text_charts", "text_parts"]

Record = Mapping[str, Any]


class Run(NamedTuple):
    """Neighbouring words of an output that the reference has, or that it does not have."""

    text: str
    is_known: bool


def text_parts(found: Record) -> dict[str, Any]:
    """Return what the template shows of examined texts, of ``examination.json``."""
    return {
        "samples": [_marked(each) for each in found.get("samples", [])],
        "worst_texts": [_marked(each) for each in found.get("worst_texts", [])],
        "faulty_texts": [
            {**each, "texts": [_marked(text) for text in each["texts"]]}
            for each in found.get("faulty_texts", [])
        ],
        "alignments": [
            {"name": name, "width": alignment_width(each), "layer": each["layer"]}
            for name, each in _alignments(found)
        ],
    }


def text_charts(found: Record) -> dict[str, dict[str, Any]]:
    """Return the charts of examined texts by their names."""
    charts = {name: alignment_chart(each) for name, each in _alignments(found)}
    if found.get("quality"):
        charts["quality"] = quality_chart(found["quality"])
    if found.get("text_lengths"):
        charts["lengths"] = length_chart(found["text_lengths"])
    return charts


def _alignments(found: Record) -> Iterator[tuple[str, Record]]:
    for number, each in enumerate(found.get("alignments", []), 1):
        yield f"alignment-{number}", each


def _marked(row: Record) -> dict[str, Any]:
    """Return a row whose outputs are cut where their words begin or end to be right."""
    known = set(text_units(row["reference"]))
    runs = {
        name: _runs(row[name], known) for name in ("output", "baseline") if row[name] is not None
    }
    return {**row, "runs": runs, "place": row["place"].split("/")[-1]}


def _runs(text: str, known: set[str]) -> list[Run]:
    """Return the whole text in runs; marks and blanks go with what stands before them."""
    ends: list[tuple[int, bool]] = []  # where a run begins
    for unit in unit_pattern().finditer(text):
        is_known = unit[0].lower() in known
        if not ends or ends[-1][1] != is_known:
            ends.append((unit.start() if ends else 0, is_known))
    if not ends:
        return [Run(text, True)] if text else []
    starts = [start for start, _ in ends]
    spans: Sequence[tuple[int, int]] = list(zip(starts, [*starts[1:], len(text)], strict=True))
    return [Run(text[a:b], is_known) for (a, b), (_, is_known) in zip(spans, ends, strict=True)]
