"""Options of the verbs that learn from labelled rows: their files, and what their columns mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.errors import SettingError
from foretext.cli.parallel_files import has_target_file, with_targets

if TYPE_CHECKING:
    from foretext.base.config import Config
    from foretext.tasks.predictor import Predictor

__all__ = [
    "ROW_OPTIONS",
    "Label",
    "Negative",
    "Reading",
    "Score",
    "Source",
    "Tag",
    "Target",
    "TargetColumn",
    "TestTarget",
    "Text",
    "TextA",
    "TextB",
    "Token",
    "ValidTarget",
    "checked_columns",
    "columns_of_texts",
    "files_of_rows",
    "reading_options",
]

ROW_OPTIONS = (
    "text",
    "label",
    "text_a",
    "text_b",
    "negative",
    "score",
    "source",
    "target",
    "token",
    "tag",
)


def _column(text: str) -> Any:
    return typer.Option(metavar="COLUMN", help=text)


Text = Annotated[str | None, _column("The text's column, where a row has one text.")]
Label = Annotated[str | None, _column("The label's column.")]
TextA = Annotated[str | None, _column("Pairs: the first text's column.")]
TextB = Annotated[str | None, _column("Pairs: the second text's column.")]
Negative = Annotated[
    str | None, _column("sentence_vectors: the column of a text unlike the first one.")
]
Score = Annotated[str | None, _column("Pairs: the column of a number, in place of a label.")]
Source = Annotated[str | None, _column("text_to_text: the source's column.")]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|COLUMN",
        help="text_to_text: the file with the target of each line of TRAIN; of a table, the "
        "target's column.",
    ),
]
TargetColumn = Annotated[
    str | None, _column("text_to_text: the target's column, which is not read.")
]
ValidTarget = Annotated[str | None, typer.Option(metavar="FILE", help="The same for --valid.")]
TestTarget = Annotated[str | None, typer.Option(metavar="FILE", help="The same for --test.")]
Token = Annotated[str | None, _column("Tagging: the token's column, from 1.")]
Tag = Annotated[str | None, _column("Tagging: the tag's column, or last.")]
Reading = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="rows.NAME=VALUE",
        help="Change how rows are read, such as rows.separator; `foretext list --settings` shows "
        "the settings.",
    ),
]

Files = str | tuple[str, str] | None


def files_of_rows(
    rows: Mapping[str, str | None], targets: Mapping[str, str | None]
) -> tuple[dict[str, Files], str | None]:
    """Return the files of each part, and the column of targets if ``--target`` names one.

    Args:
        rows: "train", "valid", "test": the file that is given, or None.
        targets: likewise, what the options for targets say.

    Raises:
        SettingError: targets of no sources are given.
    """
    target = targets["train"]
    column = None if has_target_file(rows["train"], target) else target
    given = {**targets, "train": None if target == column else target}
    return {name: with_targets(name, rows[name], given[name]) for name in rows}, column


def checked_columns(
    columns: Mapping[str, str], task: str, config: type[Config]
) -> dict[str, str | int]:
    """Return the columns that the user names; a number names a column by its place.

    Args:
        columns: by the name of their options.
        task: that is learned.
        config: `rows_config` of what learns it.

    Raises:
        SettingError: an option has no effect on the task.
    """
    return _checked(columns, task, config.model_fields)


def _checked(columns: Mapping[str, str], task: str, known: Collection[str]) -> dict[str, str | int]:
    for name in columns:
        if name not in known:
            options = [_option(other) for other in ROW_OPTIONS if other in known]
            raise SettingError(
                f"{_option(name)} has no effect on {task}; its columns are named by "
                f"{', '.join(options) or 'none'}."
            )
    return {name: int(value) if value.isdecimal() else value for name, value in columns.items()}


def reading_options(settings: Sequence[str], encoding: str | None) -> dict[str, Any]:
    """Return what ``--set rows.NAME=VALUE`` and ``--encoding`` say of how rows are read.

    Raises:
        SettingError: another section is named.
    """
    from foretext.recipe import read_overrides

    given = read_overrides(settings, ("rows",)).get("rows", {})
    return given if encoding is None else {**given, "encoding": encoding}


def columns_of_texts(model: Predictor, columns: Mapping[str, str]) -> dict[str, str | int]:
    """Return the columns that the user names for inputs of a model.

    Raises:
        SettingError: an option has no effect on them.
    """
    known = {*model.rows_config.model_fields, *model.fields}
    return _checked(columns, model.title.lower(), known)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
