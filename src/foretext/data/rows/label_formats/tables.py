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
    tells_suggestions = True
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
        if tasks and tasks[0].is_labelled:
            yield _csv_line([*names, SHEET_COLUMNS[0]])
            yield from (_csv_line(_labelled_cells(task)) for task in tasks)
            return
        yield _csv_line([*names, *SHEET_COLUMNS])
        for task in tasks:
            cells = [
                *task.texts.values(), "", _answer(task), _cell(task.probability),
                _cell(task.priority), task.why,
            ]  # fmt: skip
            yield _csv_line(map(guarded_cell, cells))


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


def _labelled_cells(task: LabelTask) -> list[str]:
    """Return the cells of a row that programs read: nothing is guarded against formulas."""
    return [*task.texts.values(), _answer(task)]


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:.4f}"


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
