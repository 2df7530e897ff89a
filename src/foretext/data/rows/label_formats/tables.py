"""Tables that a spreadsheet opens: a text and its label a row, or a token and its tag."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from foretext.data.rows.label_formats.label_format import LabelTask, LineFormat, tasks_with_tabs
from foretext.data.rows.sheet_cells import SHEET_COLUMNS, guarded_cell

__all__ = ["Csv", "TokenLines"]

SEPARATOR = " | "  # of several labels: rows.label_separator


class Csv(LineFormat):
    """A text and its label a row; a suggestion stands beside an empty cell of the label."""

    name = "csv"
    suffixes = (".csv",)
    holds = frozenset({"texts"})
    marks_suggestions = True
    why_not: ClassVar[str] = (
        "the entities of a text do not fit into a row of a table; give tsv, with a token a line, "
        "or label-studio, doccano, prodigy or jsonl"
    )

    def misfits(self, tasks: Sequence[LabelTask]) -> Iterator[tuple[LabelTask, str]]:
        """Yield rows whose cell of labels would read otherwise; see `LabelFormat.misfits`."""
        have_several = any(len(task.labels) > 1 for task in tasks)
        for task in tasks:
            if not task.is_labelled:
                continue
            names = list(map(str, task.labels))
            if not names and not have_several:
                yield task, "it has no label, which an empty cell would hide; give jsonl"
            elif have_several and names and SEPARATOR.join(names).split(SEPARATOR) != names:
                yield task, f"a label holds '{SEPARATOR}', which parts labels in a cell; give jsonl"

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield a header and a row a task."""
        names = list(tasks[0].texts) if tasks else ["text"]
        rows = [_cells(task) for task in tasks]
        are_plain = all(task.is_labelled for task in tasks) and all(
            guarded_cell(cell) == cell for row in rows for cell in row
        )
        if rows and are_plain:  # by its other columns a reader knows that cells are guarded
            width = len(names) + 1
            yield _csv_line([*names, SHEET_COLUMNS[0]])
            yield from (_csv_line(row[:width]) for row in rows)
            return
        yield _csv_line([*names, *SHEET_COLUMNS])
        yield from (_csv_line(map(guarded_cell, row)) for row in rows)


class TokenLines(LineFormat):
    """A token and its tag a line, an empty line after each sentence, as CoNLL has them."""

    name = "tsv"
    suffixes = (".tsv", ".conll", ".bio", ".iob", ".iob2")
    holds = frozenset({"spans"})
    why_not: ClassVar[str] = "a text may hold tabs and line ends, which .tsv cannot have; give csv"
    is_of_tokens = True

    def misfits(self, tasks: Sequence[LabelTask]) -> Iterator[tuple[LabelTask, str]]:
        """Yield sentences that would have more columns; see `LabelFormat.misfits`."""
        return tasks_with_tabs(tasks)

    def lines(self, tasks: Sequence[LabelTask]) -> Iterator[str]:
        """Yield a line a token."""
        for task in tasks:
            tags = task.tags or ["O"] * len(task.words)
            yield from (f"{word}\t{tag}\n" for word, tag in zip(task.words, tags, strict=True))
            yield "\n"


def _answer(task: LabelTask) -> str:
    return SEPARATOR.join(map(str, task.labels))


def _cells(task: LabelTask) -> list[str]:
    """Return the texts of a task and its `SHEET_COLUMNS`."""
    label, suggested = (_answer(task), "") if task.is_labelled else ("", _answer(task))
    more = [_cell(task.probability), _cell(task.priority), task.why]
    return [*task.texts.values(), label, suggested, *more]


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}"


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
