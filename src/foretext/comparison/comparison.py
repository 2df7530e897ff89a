"""What a comparison found: the table, the best model, and one sentence on what to use.

The figures of a comparison in the columns of the package ``bencheval``, a line each seed.
``method, task, seed, metric_error, time_train_s, time_infer_s``: lower errors are better. An
error is 1 - score of scores from 0 to 1, and 1 - score / 100 of BLEU, chrF and ROUGE-L. A
correlation below zero gives an error above 1. The times are the seconds that this seed took to
fit, with the pretraining that all seeds share, and the seconds of answering all rows in use, one
by one.

The task is the name of the task and of the file of its rows with its folder, so that results of
several comparisons can stand in one table. Where labels are numbered, a line is one draw, and
``labels`` is a further column: how many rows it learned from.
"""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from foretext.artifact import load_task
from foretext.base.errors import ModelFileError
from foretext.base.files import atomic_file
from foretext.comparison.label_curve import curve_lines
from foretext.messages import message, translated
from foretext.report.comparison_files import COMPARED, read_comparison
from foretext.report.page import duration
from foretext.report.task_card import POINTS, figure_name, figure_text
from foretext.report.text_columns import text_columns
from foretext.tasks.predictor import Predictor

__all__ = [
    "BEST",
    "COLUMNS",
    "RESULTS",
    "Comparison",
    "html_table",
    "metric_error",
    "results_csv",
    "table_rows",
    "text_table",
]

BEST, RESULTS = "best", "results.csv"

Content = Mapping[str, Any]

LEFT_OUT = "left out"  # the status of what never took part
MEGABYTE = 1e6

COLUMNS = ("method", "task", "seed", "metric_error", "time_train_s", "time_infer_s")
LABELS = "labels"  # a further column, where labels are numbered


class Comparison:
    """A finished comparison.

    Args:
        folder: of the comparison.
        content: of its ``compare.json``, as `foretext.report.comparison_files` describes it.

    Attributes:
        folder: where its files and models are.
        content: as it is in ``compare.json``.
    """

    def __init__(self, folder: str | Path, content: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.content = dict(content)

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Open a finished comparison.

        Raises:
            OutputError: the folder holds none, or a damaged one.
        """
        return cls(folder, read_comparison(folder))

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each candidate, the best first, with its figures by name."""
        return table_rows(self.content)

    @property
    def best(self) -> Predictor:
        """The model that the recommendation names, ready to answer.

        Raises:
            ModelFileError: no model finished.
        """
        if self.content["best"] is None:
            raise ModelFileError(
                f"{self.folder} has no best model: no candidate finished that can be kept."
            )
        return load_task(self.folder / BEST)

    @property
    def recommendation(self) -> str | None:
        """What to use and why, in one sentence; None: no model finished."""
        found = self.content["recommendation"]
        return None if found is None else str(found["sentence"])

    @property
    def label_curve(self) -> dict[str, Any] | None:
        """Scores by number of labels, with the sentence on them; None: labels are not numbered."""
        found: dict[str, Any] | None = self.content["label_curve"]
        return found

    @property
    def warnings(self) -> list[str]:
        """Sentences that a person has to read before the figures."""
        return list(self.content["warnings"])

    def save(self) -> None:
        """Write ``compare.json`` and ``results.csv``, each whole or not at all.

        Raises:
            OutputError: one cannot be written.
        """
        with atomic_file(self.folder / RESULTS) as temporary:
            temporary.write_text(results_csv(self.content), encoding="utf-8", newline="")
        with atomic_file(self.folder / COMPARED) as temporary:
            text = json.dumps(self.content, ensure_ascii=False, indent=1, allow_nan=False)
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")

    def __str__(self) -> str:
        said = [*_warnings(self.content), text_table(self.content)]
        curve = self.label_curve
        if curve is not None:
            said += ["", *curve_lines(curve, self.content["judged_by"]), ""]
        return "\n".join([*said, _advice(self.content, self.recommendation)])

    def __repr__(self) -> str:
        named = self.content["recommendation"]
        best = None if named is None else named["name"]
        number = len(self.content["candidates"])
        return f"Comparison({str(self.folder)!r}, candidates={number}, best={best!r})"

    def _repr_html_(self) -> str:
        return html_table(self.content, self.recommendation)


def table_rows(content: Content) -> list[dict[str, Any]]:
    """Return a row for each candidate, the best first.

    Returns:
        Of each: "name", "group", "status", "score" with "low" and "high", whether it is a "tie"
        with the best, "valid", "seconds" to fit, "milliseconds_per_row", "megabytes" on disk,
        "memory_megabytes" while it was fitted, "parameters", the "forecast" of twice the time, why
        it has "not_learned", and the "sentence" that says why it did not finish. What was not
        measured is None.
    """
    return [_row(candidate) for candidate in content["candidates"]]


def text_table(content: Content) -> str:
    """Return the candidates that were measured in columns of plain text.

    Those that failed or were dropped have a line each, those that never took part one together.
    """
    head, body = _cells(content)
    measured = [row for row in body if row[1]]
    lines = text_columns([head, *measured], left=(0, len(head) - 1))
    left_out = [each["name"] for each in content["candidates"] if each["status"] == LEFT_OUT]
    others = [f"{row[0]} {row[-1]}" for row in body if not row[1] and row[0] not in left_out]
    said = message("terminal.compare.left_out", names=", ".join(left_out))
    return "\n".join([*lines, *others, *([said] if left_out else [])])


def html_table(content: Content, recommendation: str | None) -> str:
    """Return the table as HTML, warnings and the recommendation above it."""
    head, body = _cells(content)
    rows = "".join(_tr("td", row) for row in body)
    curve = content["label_curve"]
    said = [] if curve is None else [translated(curve["sentence"])]
    said += _warnings(content)
    said.append(_advice(content, recommendation))
    above = "".join(f"<p>{html.escape(each)}</p>" for each in said)
    return f"{above}<table><thead>{_tr('th', head)}</thead><tbody>{rows}</tbody></table>"


def _advice(content: Content, recommendation: str | None) -> str:
    """Return the recommendation, or what stands in its place, in the reader's language."""
    if recommendation is not None:
        return translated(recommendation)
    return (
        message("findings.learned.nobody")
        if any(each["not_learned"] for each in content["candidates"])
        else message("findings.learned.nothing")
    )


def _warnings(content: Content) -> list[str]:
    said = map(translated, content["warnings"])
    return [message("terminal.compare.warning", said=each) for each in said]


def _row(candidate: Mapping[str, Any]) -> dict[str, Any]:
    test, valid = candidate["test"], candidate["valid"]
    against, seconds = candidate["against_best"], candidate["seconds"]
    forecast = candidate["forecast"]
    return {
        "name": candidate["name"],
        "group": candidate["group"],
        "status": candidate["status"],
        "score": None if test is None else test["value"],
        "low": None if test is None else test["low"],
        "high": None if test is None else test["high"],
        "tie": None if against is None else against["is_tie"],
        "valid": None if valid is None else valid["mean"],
        "seconds": None if seconds is None else seconds["fit"],
        "milliseconds_per_row": candidate["milliseconds_per_row"],
        "megabytes": _megabytes(candidate["disk_bytes"]),
        "memory_megabytes": _megabytes(candidate["memory_bytes"]),
        "parameters": candidate["parameters"],
        "forecast": None if forecast is None else forecast["value"],
        "not_learned": candidate["not_learned"],
        "sentence": candidate["sentence"],
    }


def _cells(content: Content) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table for people."""
    figure = figure_name(content["judged_by"])
    part = message(f"terminal.compare.part.{content['part']}")
    head = [
        message("tables.candidate"),
        message("tables.figure_on", figure=figure, part=part),
        "95 %",
        message("tables.to_fit"),
        message("tables.milliseconds_a_row"),
        "MB",
        "",
    ]
    rows = table_rows(content)
    shown = [_shown(row, content["judged_by"], is_first=row is rows[0]) for row in rows]
    return head, shown


def _shown(row: Mapping[str, Any], judged_by: str, *, is_first: bool) -> list[str]:
    if row["score"] is None:
        return [row["name"], "", "", "", "", "", _remark(row, judged_by)]
    is_known = row["low"] is not None
    interval = [figure_text(judged_by, row[end]) for end in ("low", "high")] if is_known else []
    milliseconds, size = row["milliseconds_per_row"], row["megabytes"]
    return [
        row["name"],
        figure_text(judged_by, row["score"]),
        message("terminal.compare.interval", low=interval[0], high=interval[1]) if interval else "",
        "" if row["seconds"] is None else duration(row["seconds"]),
        "" if milliseconds is None else f"{milliseconds:.3g}",
        "" if size is None else f"{size:.3g}",
        _mark(row, is_first=is_first),
    ]


def _mark(row: Mapping[str, Any], *, is_first: bool) -> str:
    if row["not_learned"]:
        return message("terminal.compare.has_not_learned")
    return message("terminal.compare.tied") if row["tie"] and not is_first else ""


def _remark(row: Mapping[str, Any], judged_by: str) -> str:
    """Say what became of a candidate that was not measured."""
    valid = row["valid"]
    status = message(f"comparison.mark.{row['status'].replace(' ', '_')}")
    said = {"status": status, "sentence": translated(row["sentence"] or "")}
    if valid is None:
        return message("terminal.compare.remark", **said)
    return message("terminal.compare.remark_held_out", value=figure_text(judged_by, valid), **said)


def _megabytes(size: int | None) -> float | None:
    return None if size is None else size / MEGABYTE


def _tr(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def results_csv(content: Mapping[str, Any]) -> str:
    """Return the lines of all candidates that were measured, under a line with the columns."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    curve = content["label_curve"]
    lines.writerow(COLUMNS if curve is None else (*COLUMNS, LABELS))
    for candidate in content["candidates"]:
        few = [] if curve is None else [*_label_lines(candidate, content)]
        last = [*_lines(candidate, content)] if candidate["test"] is not None else []
        more = [] if curve is None else [content["label_curve"]["labels"][-1]]
        lines.writerows([*few, *([*line, *more] for line in last)])
    return written.getvalue()


def _label_lines(candidate: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yield a line for each draw of a candidate with fewer labels than the most."""
    curve = content["label_curve"]
    for cell in curve["cells"]:
        is_own = cell["name"] == candidate["name"] and cell["labels"] < curve["labels"][-1]
        if is_own and cell["score"] is not None:
            once = sum(each["pretraining"] for each in candidate["rounds"][-1:])
            yield [
                candidate["name"],
                f"{content['task']}/{content['data']}",
                content["seeds"][0] + cell["draw"],
                _number(metric_error(content["judged_by"], cell["score"])),
                _number(once + cell["seconds"]),
                "",
                cell["labels"],
            ]


def metric_error(judged_by: str, score: float) -> float:
    """Return how far a score is from the best one that there can be, in shares."""
    return 1.0 - score / 100 if judged_by in POINTS else 1.0 - score


def _lines(candidate: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yield a line for each seed of a candidate."""
    last = candidate["rounds"][-1]
    once = last["used"] - sum(seed["seconds"] for seed in last["seeds"])  # for all seeds together
    milliseconds = candidate["milliseconds_per_row"]
    answering = None if milliseconds is None else milliseconds * content["measured_rows"] / 1000
    for seed, score in zip(last["seeds"], candidate["test"]["each"], strict=True):
        yield [
            candidate["name"],
            f"{content['task']}/{content['data']}",
            content["seeds"][0] + seed["seed"],
            _number(metric_error(content["judged_by"], score)),
            _number(max(once, 0.0) + seed["seconds"]),
            _number(answering),
        ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
