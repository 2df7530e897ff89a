"""Which columns and files of rows the options of a command name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from foretext.base.errors import SettingError
from foretext.kinds import COLUMNS
from foretext.messages import message, translated

if TYPE_CHECKING:
    from foretext.base.config import Config
    from foretext.tasks.predictor import Predictor

__all__ = [
    "checked_columns",
    "columns_of_texts",
    "files_of_rows",
    "has_target_file",
    "reading_options",
    "with_targets",
]

Files = str | tuple[str, str] | None  # of rows; with their targets
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")  # have targets in a column


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
            options = [_option(other) for other in COLUMNS if other in known]
            known_by = ", ".join(options) or translated("none")
            raise SettingError(
                message("errors.option.columns", option=_option(name), task=task, options=known_by)
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
    known = {*model.task.rows_config.model_fields, *model.fields}
    return _checked(columns, model.title.lower(), known)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def has_target_file(sources: str | None, target: str | None) -> bool:
    """Whether `--target` names a file beside the sources, not a column of them."""
    if target is None or target.isdecimal():
        return False
    if sources is None:
        return True
    from foretext.corpus.compression import without_compression_suffix

    suffix = PurePosixPath(without_compression_suffix(sources)).suffix.lower()
    return suffix not in TABLES


def with_targets(
    name: str, sources: str | None, targets: str | None
) -> tuple[str, str] | str | None:
    """Return the file of sources alone, or with that of its targets.

    Args:
        name: of the rows: "train", "valid" or "test".
        sources: file of sources; None: it is not given.
        targets: file of targets; None: the sources have them.

    Raises:
        SettingError: targets of no sources are given.
    """
    if targets is None:
        return sources
    if sources is None:
        wanted = "TRAIN" if name == "train" else f"--{name}"
        option = "--target" if name == "train" else f"--{name}-target"
        raise SettingError(f"{option} {targets}: give the file of its sources, too, as {wanted}.")
    return sources, targets
