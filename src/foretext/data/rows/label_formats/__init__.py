"""The formats of programs in which people label texts: a file and a row each.

What such a program exports is read as any file of rows is: its JSON becomes the JSON of plain rows
here (`plain_row`), and entities at offsets become tags in `foretext.data.rows.spans`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from foretext.base.errors import CorpusError, SettingError
from foretext.data.rows.label_formats.conllu import ConllU
from foretext.data.rows.label_formats.docbin import DocBinFile
from foretext.data.rows.label_formats.doccano import Doccano
from foretext.data.rows.label_formats.json_lines import JsonLines
from foretext.data.rows.label_formats.label_format import (
    LabelFormat,
    LabelTask,
    PlainRow,
    TextSpan,
)
from foretext.data.rows.label_formats.label_studio import LabelStudio
from foretext.data.rows.label_formats.prodigy import Prodigy
from foretext.data.rows.label_formats.tables import Csv, TokenLines

__all__ = [
    "LABEL_FORMATS",
    "LabelFormat",
    "LabelTask",
    "PlainRow",
    "TaskFormat",
    "TextSpan",
    "format_named_by",
    "plain_row",
    "task_format",
    "write_tasks",
]

TaskFormat = Literal[
    "csv", "tsv", "jsonl", "label-studio", "prodigy", "doccano", "conllu", "docbin"
]
# In the order in which they are tried on a JSON object.
LABEL_FORMATS: dict[TaskFormat, LabelFormat] = {
    "csv": Csv(),
    "tsv": TokenLines(),
    "jsonl": JsonLines(),
    "label-studio": LabelStudio(),
    "prodigy": Prodigy(),
    "doccano": Doccano(),
    "conllu": ConllU(),
    "docbin": DocBinFile(),
}


def plain_row(values: Mapping[str, Any]) -> PlainRow:
    """Return the plain form of an object; one of no such program stays as it is.

    It has texts under their names, `label` as a label or a list of labels, and `spans` as a list of
    objects with `start`, `end` and `label`, which are offsets in the text.
    """
    found = (each.plain(values) for each in LABEL_FORMATS.values())
    return next((row for row in found if row is not None), PlainRow(values))


def format_named_by(path: Path) -> TaskFormat | None:
    """Return the format that the suffix of a file says; None: it says none."""
    suffix = path.suffix.lower()
    return next((name for name, each in LABEL_FORMATS.items() if suffix in each.suffixes), None)


def _choices(holding: str) -> str:
    """Return the formats that have room for tasks, and the suffixes of their files."""
    fitting = {name: each for name, each in LABEL_FORMATS.items() if holding in each.holds}
    suffixes = dict.fromkeys(each for own in fitting.values() for each in own.suffixes)
    return f"{', '.join(fitting)}, or a file that ends with {', '.join(suffixes)}"


def task_format(path: Path, chosen: TaskFormat | None, *, tagged: bool) -> TaskFormat:
    """Return the format of a file of tasks, by its suffix where none is chosen.

    Args:
        path: of the file.
        chosen: by the user; None: by the suffix.
        tagged: whether the answers of the tasks are spans.

    Raises:
        SettingError: neither the user nor the suffix says it, or it has no room for these tasks.
    """
    found, holding = chosen or format_named_by(path), "spans" if tagged else "texts"
    if found is None:
        raise SettingError(
            f"{path}: the name does not say which format is meant; give --format "
            f"{_choices(holding)}."
        )
    if holding not in LABEL_FORMATS[found].holds:
        raise SettingError(f"format = {found}: {LABEL_FORMATS[found].why_not}.")
    return found


def write_tasks(tasks: Sequence[LabelTask], path: Path, format: TaskFormat) -> None:
    """Write tasks into a file, which appears whole or not at all.

    Args:
        tasks: all of one kind.
        path: of the file, which is replaced.
        format: that fits them (`task_format`).

    Raises:
        CorpusError: a task could not be read back.
        OutputError: it cannot be written.
        MissingExtraError: a package for this format is not installed.
    """
    for task, why in LABEL_FORMATS[format].misfits(tasks):
        shown = task.place or f"the text '{task.text[:40]}'"
        raise CorpusError(f"{shown}: {why}.")
    LABEL_FORMATS[format].write(tasks, path)
