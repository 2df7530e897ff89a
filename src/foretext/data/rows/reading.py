"""How rows are read that are not those of the training.

These are the settings of the training, and the settings that override them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from foretext.base.config import Config
from foretext.base.parsing.json_file import json_object
from foretext.corpus.sources import STANDARD_INPUT
from foretext.corpus.texts import is_file_or_source
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.input_file import InputFile, input_files
from foretext.data.rows.input_rows import InputsConfig
from foretext.data.rows.settings import COLUMNS, LabelledConfig, as_columns
from foretext.data.rows.table import first_row_of_csv

__all__ = ["first_names", "fitting", "names_in", "read_otherwise"]

C = TypeVar("C", bound=Config)


def read_otherwise(learned: C, over: Mapping[str, Any]) -> C:
    """Return settings with others over them, as far as both can be true of one file.

    The format is that of each file, unless `over` gives one. Columns that were named by number go
    where others are named by name, and the reverse; a label replaces a score, and a score a
    label.

    Args:
        learned: how the rows of the training were read.
        over: settings by name.

    Raises:
        SettingError: one is unknown or wrong, or they do not go together.
    """
    kept: dict[str, Any] = learned.model_dump(include=learned.changed - {"format"})
    kinds = {kind for name in COLUMNS if name in over for kind in map(type, as_columns(over[name]))}
    for name in [name for name in COLUMNS if name in kept]:
        if kinds and not {*map(type, as_columns(kept[name]))} <= kinds:
            del kept[name]
    for name, other in (("score", "label"), ("label", "score")):
        if name in over and other not in over:
            kept.pop(other, None)
    return type(learned).checked({**kept, **over}, "rows")


def fitting(source: RowSource, learned: C) -> C:
    """Return how a file is read: by the columns of the training, or by the usual ones.

    The usual names of columns hold where the file has a header, or objects, with all of these, and
    not with all of those that the training had.

    Raises:
        CorpusError: the file cannot be read.
    """
    if not isinstance(learned, LabelledConfig) or not learned.changed & {*COLUMNS}:
        return learned
    if not is_file_or_source(source) or source == STANDARD_INPUT:
        return learned
    kept = learned.model_dump(include=learned.changed - {*COLUMNS})
    fields = type(learned).model_fields
    # a column that is not always there, such as a score, has its own name
    kept |= {name: name for name in learned.changed & {*COLUMNS} if fields[name].default is None}
    usual = type(learned).checked(kept, "rows")
    wanted, others = {*usual.columns}, {*learned.columns}
    names = first_names(source, learned)
    return usual if wanted and wanted <= {*names} and not others <= {*names} else learned


def first_names(source: RowSource, config: Config | None = None) -> list[str]:
    """Return the `names_in` the first file of a source.

    Args:
        source: of files.
        config: how they are read; None: as usual.

    Raises:
        CorpusError: it cannot be read.
    """
    reading = {} if config is None else config.model_dump(include={*InputsConfig.model_fields})
    files = input_files(source, InputsConfig.checked(reading, "rows"))
    return next((names_in(file) for file in files), [])


def names_in(file: InputFile) -> list[str]:
    """Return what may be the names of the columns of a file: those of its first row."""
    if file.has_records:
        first = next(file.records(), None)
        return [] if first is None else [*first.values]
    values = json_object(file.first)
    if values is not None:
        return [*values]
    is_tabbed = "\t" in file.first and file.format != "csv"
    return file.first.split("\t") if is_tabbed else first_row_of_csv(file.head)
