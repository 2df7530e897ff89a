"""What a comparison's page shows below its pictures: figures, forecasts, shared work, answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from foretext.report.cells import budget, duration
from foretext.report.comparison_files import ComparisonFacts, Disagreement
from foretext.report.task_card import figure_name, figure_text

__all__ = ["Answer", "agreement", "answers", "figure_rows", "forecast_rows", "shared_rows"]

Row = dict[str, Any]


class Answer(NamedTuple):
    """An answer to a row, and who gives it."""

    text: str
    is_right: bool
    names: list[str]


def figure_rows(facts: ComparisonFacts) -> list[Row]:
    """Return a row for each candidate, with every figure that is one number and no count."""
    measured = {each.name: _numbers(each.test.figures) for each in facts.candidates if each.test}
    names = dict.fromkeys(name for own in measured.values() for name in own)
    shown = [
        name for name in names if not all(_is_count(own.get(name)) for own in measured.values())
    ]
    return [
        {"candidate": candidate}
        | {figure_name(name): figure_text(name, own[name], 4) for name in shown if name in own}
        for candidate, own in measured.items()
    ]


def forecast_rows(facts: ComparisonFacts) -> list[Row]:
    """Return a row for each forecast; scores are those of held-out rows."""
    name = facts.judged_by
    return [
        {
            "candidate": each.name,
            "now": figure_text(name, found.value - found.gain),
            "forecast": figure_text(name, found.value),
            "gain": f"+{figure_text(name, found.gain)}",
            "after": budget(found.seconds),
            "by": found.from_,
        }
        for each in facts.candidates
        if (found := each.forecast) is not None
    ]


def shared_rows(facts: ComparisonFacts) -> list[Row]:
    """Return what was done once, how long it took, and whom it served."""
    return [
        {"work": each.what, "time": duration(each.seconds), "served": each.candidates}
        for each in facts.shared
    ]


def agreement(facts: ComparisonFacts) -> str:
    """Return how many rows candidates agree on, in a sentence; "": that was not counted."""
    found = facts.agreement
    if found is None:
        return ""
    return (
        f"{found.all:,} rows are answered right by all of them, {found.none:,} by none, "
        f"{found.some:,} by some."
    )


def answers(row: Disagreement) -> list[Answer]:
    """Return the answers to a row, the right one first, then those that most candidates give."""
    named: dict[str, list[str]] = {}
    for name, text in row.answers.items():
        named.setdefault(text, []).append(name)
    found = [Answer(text, text == row.right, names) for text, names in named.items()]
    return sorted(found, key=lambda answer: (not answer.is_right, -len(answer.names)))


def _numbers(figures: Mapping[str, Any]) -> dict[str, float]:
    return {name: value for name, value in figures.items() if isinstance(value, float)}


def _is_count(value: float | None) -> bool:
    """Whether a figure may be a number of rows: it is whole and more than a share."""
    return value is None or (value > 1 and value % 1 == 0)
