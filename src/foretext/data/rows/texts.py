"""Texts with labels: what classification learns from and is measured by."""

from __future__ import annotations

from typing import Any, NamedTuple

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import normalize
from foretext.data.rows.exchanged_columns import refuse_exchange
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.label import Label
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.records import read_records
from foretext.data.rows.settings import RowsConfig, as_columns
from foretext.data.rows.unread_header import refuse_header

__all__ = ["LabelledText", "label_of", "read_texts"]


class LabelledText(NamedTuple):
    """One row; of a multi-label file any number of labels, of an unlabelled one none."""

    text: str
    labels: tuple[str, ...]  # of a file each is a `Label`, which has its value
    place: str  # file:line


def read_texts(path: RowSource, config: RowsConfig | None = None) -> list[LabelledText]:
    """Read a labelled file: CSV, TSV, JSON lines, Parquet, fastText's or ``label<TAB>text``.

    Compressed files, folders, globs and fsspec URLs are read as well.

    Raises:
        CorpusError: no such file, no rows, or a row that is not what it should be.
        MissingExtraError: a package for this format is not installed.
    """
    config = config or RowsConfig()
    rows = [
        LabelledText(
            normalize(record.texts(as_columns(config.text)), config.normalization),
            _labels(record, config),
            record.place,
        )
        for record in read_records(path, config)
    ]
    if not rows:
        raise CorpusError(f"{path} has no rows; give a file with text and labels.")
    if config.is_numbered:
        refuse_header(rows, len(as_columns(config.text)))
    if all(len(row.labels) == 1 for row in rows):
        columns = {"text": [row.text for row in rows], "label": [row.labels[0] for row in rows]}
        refuse_exchange(path, config, columns)
    return rows


def label_of(value: Any, record: Record) -> Label:
    """Return a label: a text without blanks around it, a whole number, or a boolean.

    Raises:
        CorpusError: it is empty or something else.
    """
    if isinstance(value, dict | list):
        raise record.error(f"the label is {type_name(value)}; write it as text or a whole number.")
    try:
        label = Label(value)
    except ValueError as error:
        raise record.error(f"{error}.") from None
    record.whole(label, "label")
    return label


def _labels(record: Record, config: RowsConfig) -> tuple[str, ...]:
    if config.label is None:
        return ()
    value = record.value(config.label)
    if config.label_separator is not None and isinstance(value, str):
        value = value.split(config.label_separator) if value.strip() else []
    values = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(label_of(each, record) for each in values))  # each label once
