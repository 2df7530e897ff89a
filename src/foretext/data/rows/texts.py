"""Texts with labels: what classification learns from and is measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple, Protocol

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import normalize
from foretext.data.rows.exchanged_columns import refuse_exchange
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.label import Label
from foretext.data.rows.record import Record, type_said
from foretext.data.rows.records import read_records
from foretext.data.rows.settings import RowsConfig, as_columns
from foretext.messages import ended, message

__all__ = ["LabelledRow", "LabelledText", "label_of", "read_texts", "refuse_header"]

ENOUGH = 10  # rows from which a label of one row alone is strange
USUAL_LENGTHS = 2  # texts are so many times as long as the name of their column, at least


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
        raise CorpusError(message("errors.rows.no_texts", name=path))
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
        raise record.translated_error(message("errors.row.label_kind", kind=type_said(value)))
    try:
        label = Label(value)
    except ValueError as error:
        raise record.translated_error(ended(str(error))) from None
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


class LabelledRow(Protocol):
    """A text or a pair with its labels."""

    @property
    def text(self) -> str:
        """The text, or both texts of a pair."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All that are right, none for an unlabelled row."""

    @property
    def place(self) -> str:
        """``file:line``."""


def refuse_header(rows: Sequence[LabelledRow], num_texts: int) -> None:
    """Refuse rows whose first one, in line 1, is surely the names of the columns.

    Its label is no number and the only one of a single row, and each of its texts is one short word
    where others are long.

    Args:
        rows: of which columns were read by their numbers.
        num_texts: columns that make up the text of a row.

    Raises:
        CorpusError: there is such a row.
    """
    first_lines = [row for row in rows if row.place.endswith(":1")]
    if len(rows) < ENOUGH or not first_lines:
        return
    usual = median(len(row.text) for row in rows)
    rare = _labels_of_one_row(rows)
    if not rare or any(map(_is_number, rare)):
        return
    for row in first_lines:
        is_short = USUAL_LENGTHS * len(row.text) <= usual and len(row.text.split()) <= num_texts
        if is_short and rare == set(row.labels):
            name, label = row.place.removesuffix(":1"), row.labels[0]
            raise CorpusError(message("errors.rows.header", name=name, label=label))


def _labels_of_one_row(rows: Sequence[LabelledRow]) -> set[str]:
    counts = Counter(label for row in rows for label in set(row.labels))
    return {label for label, count in counts.items() if count == 1}


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True
