"""The table of a comparison: rows for Python, text for the terminal, HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from foretext.report.cells import duration
from foretext.report.task_card import figure_name, figure_text

__all__ = ["NOTHING", "html_table", "table_rows", "text_table"]

Content = Mapping[str, Any]

NOTHING = "No candidate finished that can be kept as a model."  # in place of a recommendation
LEFT_OUT = "left out"  # the status of what never took part
TIED = "tied with the best"
MEGABYTE = 1e6


def table_rows(content: Content) -> list[dict[str, Any]]:
    """Return a row for each candidate, the best first.

    Returns:
        Of each: "name", "group", "status", "score" with "low" and "high", whether it is a "tie"
        with the best, "valid", "seconds" to fit, "milliseconds_per_row", "megabytes" on disk,
        "memory_megabytes" while it was fitted, "parameters", the "forecast" of twice the time, and
        the "sentence" that says why it did not finish. What was not measured is None.
    """
    return [_row(candidate) for candidate in content["candidates"]]


def text_table(content: Content) -> str:
    """Return the candidates that were measured in columns of plain text.

    Those that failed or were dropped have a line each, those that never took part one together.
    """
    head, body = _cells(content)
    measured = [row for row in body if row[1]]
    widths = [max(map(len, column)) for column in zip(head, *measured, strict=True)]
    lines = [_line(row, widths) for row in [head, *measured]]
    left_out = [each["name"] for each in content["candidates"] if each["status"] == LEFT_OUT]
    others = [f"{row[0]} {row[-1]}" for row in body if not row[1] and row[0] not in left_out]
    said = f"left out, for reasons that the page gives: {', '.join(left_out)}"
    return "\n".join([*lines, *others, *([said] if left_out else [])])


def html_table(content: Content, recommendation: str | None) -> str:
    """Return the table as HTML, warnings and the recommendation above it."""
    head, body = _cells(content)
    rows = "".join(_tr("td", row) for row in body)
    said = [f"Warning: {each}" for each in content["warnings"]]
    said.append(recommendation or NOTHING)
    above = "".join(f"<p>{html.escape(each)}</p>" for each in said)
    return f"{above}<table><thead>{_tr('th', head)}</thead><tbody>{rows}</tbody></table>"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells under each other: names and remarks on the left, numbers on the right."""
    name, *numbers, remark = row
    first, *others, _ = widths
    cells = [cell.rjust(width) for cell, width in zip(numbers, others, strict=True)]
    return "  ".join([name.ljust(first), *cells, remark]).rstrip()


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
        "sentence": candidate["sentence"],
    }


def _cells(content: Content) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table for people."""
    figure = figure_name(content["judged_by"])
    head = ["candidate", f"{figure}, {_part(content)}", "95 %", "to fit", "ms a row", "MB", ""]
    rows = table_rows(content)
    shown = [_shown(row, content["judged_by"], is_first=row is rows[0]) for row in rows]
    return head, shown


def _part(content: Content) -> str:
    return "test" if content["part"] == "test" else "held out"


def _shown(row: Mapping[str, Any], judged_by: str, *, is_first: bool) -> list[str]:
    if row["score"] is None:
        return [row["name"], "", "", "", "", "", _remark(row, judged_by)]
    is_known = row["low"] is not None
    interval = [figure_text(judged_by, row[end]) for end in ("low", "high")] if is_known else []
    milliseconds, size = row["milliseconds_per_row"], row["megabytes"]
    return [
        row["name"],
        figure_text(judged_by, row["score"]),
        " to ".join(interval),
        "" if row["seconds"] is None else duration(row["seconds"]),
        "" if milliseconds is None else f"{milliseconds:.3g}",
        "" if size is None else f"{size:.3g}",
        TIED if row["tie"] and not is_first else "",
    ]


def _remark(row: Mapping[str, Any], judged_by: str) -> str:
    """Say what became of a candidate that was not measured."""
    valid = row["valid"]
    held_out = "" if valid is None else f" with {figure_text(judged_by, valid)} held out"
    return f"{row['status']}{held_out}: {row['sentence']}"


def _megabytes(size: int | None) -> float | None:
    return None if size is None else size / MEGABYTE


def _tr(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"
