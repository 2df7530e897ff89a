"""The part of ``compare.json`` on numbers of labels, as a table and as lines of ``results.csv``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foretext.comparison.answers import Answered, KeptAnswers
from foretext.comparison.candidate import Candidate
from foretext.comparison.cells import Cell
from foretext.comparison.label_advice import (
    label_crossing,
    label_sentence,
    label_worth,
    rivals,
    rounded,
)
from foretext.comparison.label_scores import LabelScores, MeasuredCell
from foretext.comparison.ledger import Ledger, Outcome, Plan
from foretext.messages import message, translated
from foretext.report.task_card import POINTS, figure_name, figure_text
from foretext.report.text_columns import text_columns

__all__ = ["curve_content", "curve_lines", "label_content"]

Content = dict[str, Any]

BEST, TIE = "*", "="  # marks of the highest score with so many labels, and of a tie with it
MOST_FAILURES = 5  # that are shown


def label_content(
    ledger: Ledger,
    plan: Plan,
    history: Mapping[str, Sequence[Outcome]],
    answered: Mapping[str, Sequence[Answered]],
    judged_by: str,
) -> Content | None:
    """Return what came of all cells; None: labels are not numbered, or nothing was measured.

    Args:
        ledger: of the folder, which has the answers of cells.
        plan: what was decided.
        history: outcomes by the name of the candidate.
        answered: by the name of a finalist, the answers of its models with the most labels.
        judged_by: the figure of the scores.
    """
    if not plan.labels:
        return None
    cells: list[MeasuredCell] = []
    tried: list[Content] = []
    for candidate in plan.candidates:
        for each in history[candidate.name][-1:]:
            own = answered.get(candidate.name, ())
            cells += [*_few(ledger, candidate, each), *_most(plan, candidate, each, own)]
            tried += _tried(plan, candidate, each, own)
    groups = {each.name: each.group for each in plan.candidates}
    whole = plan.labels[-1] == plan.rows["train"]
    return curve_content(cells, groups, judged_by, is_every_row=whole, tried=tried)


def curve_content(
    cells: Sequence[MeasuredCell],
    groups: Mapping[str, str],
    judged_by: str,
    *,
    is_every_row: bool,
    tried: Sequence[Content] = (),
) -> Content | None:
    """Return points, crossing, worth and sentence of measured cells; None of none.

    Args:
        cells: whose answers are to the same rows.
        groups: of candidates, by their names.
        judged_by: the figure of the scores.
        is_every_row: whether the largest number is that of all rows that the user has.
        tried: all cells as the file lists them, those that failed too.
    """
    if not cells:
        return None
    scores = LabelScores.measured([*groups], cells)
    few, many = rivals(scores)
    found = None if few == many else label_crossing(scores, few, many)
    worth = label_worth(scores, many, judged_by)
    return {
        "labels": list(scores.labels),
        "is_every_row": is_every_row,
        "measured_rows": scores.num_rows,
        "lines": [
            {"name": name, "group": groups[name], "points": list(_points(scores, name, judged_by))}
            for name in scores.names
        ],
        "crossing": found
        and {"few": few, "many": many, **found._asdict(), "about": rounded(found.labels)},
        "worth": None if worth is None else {"name": many, **worth._asdict()},
        "sentence": label_sentence(scores, judged_by, worth, is_every_row=is_every_row),
        "cells": list(tried),
    }


def curve_lines(curve: Mapping[str, Any], judged_by: str) -> list[str]:
    """Return the scores by number of labels in columns, what failed, and the sentence.

    A score that is the highest with so many labels has a mark, and so have those that tie with it.
    """
    head, body = _cells(curve, judged_by)
    said = [message("terminal.curve.marks")] if len(body) > 1 else []
    return [*text_columns([head, *body]), *said, *_failed(curve), translated(curve["sentence"])]


def _cells(curve: Mapping[str, Any], judged_by: str) -> tuple[list[str], list[list[str]]]:
    title = message("tables.by_labels", figure=figure_name(judged_by))
    head = [title, *(f"{number:,}" for number in curve["labels"])]
    rows = []
    for line in curve["lines"]:
        points = {point["labels"]: point for point in line["points"]}
        cells = [_shown(points.get(number), judged_by) for number in curve["labels"]]
        rows.append([line["name"], *cells])
    if len(rows) == 1:  # which is the best one everywhere
        rows = [[cell.rstrip(BEST) for cell in rows[0]]]
    return head, rows


def _failed(curve: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each cell that failed, of many the first ones."""
    failed = [each for each in curve["cells"] if each["sentence"]]
    said = [
        message(
            "terminal.curve.failed",
            name=each["name"],
            labels=each["labels"],
            draw=each["draw"] + 1,
            sentence=translated(each["sentence"]),
        )
        for each in failed[:MOST_FAILURES]
    ]
    more = len(failed) - MOST_FAILURES
    return [*said, message("terminal.curve.more", number=more)] if more > 0 else said


def _few(ledger: Ledger, candidate: Candidate, outcome: Outcome) -> Iterator[MeasuredCell]:
    for each in outcome.cells:
        if each.score is not None:
            cell = Cell(each.labels, each.draw, is_last=False, learns_all=False)
            answers = KeptAnswers.load(ledger.cell(candidate, outcome.round, cell))
            yield MeasuredCell(candidate.name, each.labels, each.draw, answers)


def _most(
    plan: Plan, candidate: Candidate, outcome: Outcome, answered: Sequence[Answered]
) -> Iterator[MeasuredCell]:
    for seed, each in zip(outcome.seeds, answered, strict=False):
        yield MeasuredCell(candidate.name, plan.labels[-1], seed.seed, each.kept)


def _tried(
    plan: Plan, candidate: Candidate, outcome: Outcome, answered: Sequence[Answered]
) -> Iterator[Content]:
    """Yield all cells of a candidate, as the file lists them."""
    rows = [
        (each.labels, each.draw, each.score, each.seconds, each.sentence) for each in outcome.cells
    ]
    for number, seed in enumerate(outcome.seeds):
        score = answered[number].kept.score if number < len(answered) else None
        rows.append((plan.labels[-1], seed.seed, score, seed.seconds, None))
    for labels, draw, score, seconds, sentence in rows:
        yield {
            "name": candidate.name, "labels": labels, "draw": draw, "score": score,
            "seconds": seconds, "sentence": sentence,
        }  # fmt: skip


def _points(scores: LabelScores, name: str, judged_by: str) -> Iterator[Content]:
    """Yield the score at each number, and whether it is the best one or ties with it."""
    highest = 100.0 if judged_by in POINTS else 1.0
    for number in scores.labels:
        point, best = scores.point(name, number), scores.best(number)
        if point is None or best is None:
            continue
        difference = scores.difference(name, best, number)
        yield {
            "labels": number,
            "value": point.value,
            "low": max(point.low, 0.0) if point.value >= 0 else point.low,
            "high": min(point.high, highest),
            "draws": len(scores.each[name, number]),
            "is_best": name == best,
            "is_tie": name != best and (difference is None or difference.sign == 0),
        }


def _shown(point: Mapping[str, Any] | None, judged_by: str) -> str:
    if point is None:
        return "–"
    mark = BEST if point["is_best"] else TIE if point["is_tie"] else " "
    reach = (point["high"] - point["low"]) / 2
    return f"{figure_text(judged_by, point['value'])} ± {figure_text(judged_by, reach)}{mark}"
