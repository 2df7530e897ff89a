"""Rows of a table as the inputs of a predictor, with columns that are copied to its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple

from foretext.config import Config
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.normalization import normalize
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.inputs import Input
from foretext.data.rows.record import Record
from foretext.data.rows.records import read_records
from foretext.data.rows.settings import Column, LabelledConfig, as_columns
from foretext.errors import CorpusError, SettingError, did_you_mean

__all__ = ["KeptInput", "is_table", "table_inputs"]

TABLES = (".csv",)  # never plain lines
MAYBE = (".tsv", ".jsonl", ".ndjson", ".json")  # tables where columns are kept, else also lines


class KeptInput(NamedTuple):
    """The texts of one row, and the columns that are kept beside the answer."""

    texts: Input
    kept: dict[str, Any]


class InputsConfig(LabelledConfig):
    """How a table is read of which any column may be wanted."""

    headerless: ClassVar[dict[str, int]] = {}


def is_table(path: str, keep: Sequence[str]) -> bool:
    """Whether a file is read by its columns, not line by line.

    Raises:
        SettingError: columns are to be kept, and the file has none.
    """
    suffix = PurePosixPath(without_compression_suffix(path)).suffix.lower()
    if keep and suffix not in (*TABLES, *MAYBE):
        raise SettingError(
            f"--keep copies columns of a table, and {path} has none; give a .csv, .tsv or .jsonl "
            "file."
        )
    return bool(keep) or suffix in TABLES


def table_inputs(
    path: RowSource, fields: Sequence[str], rows: Config, keep: Sequence[str] = ()
) -> Iterator[KeptInput]:
    """Yield the inputs of a table with a header, or of objects with names.

    Args:
        path: of the file.
        fields: the texts of an input, such as ``("text_a", "text_b")``.
        rows: how the rows of the training were read: the columns of the texts have the names that
            they had there, or those of the fields.
        keep: columns that are copied to the answers.

    Raises:
        CorpusError: the file cannot be read, or a row is wrong.
        SettingError: a column to be kept has the name of a text.
    """
    if twice := set(keep) & set(fields):
        raise SettingError(
            f"--keep {min(twice)}: the answers contain this text already; leave it out."
        )
    chosen = rows.model_dump()
    normalization = chosen.get("normalization", "NFC")
    shared: dict[str, Any] = {
        name: chosen[name] for name in ("encoding", "max_piece_bytes") if name in chosen
    }
    for record in read_records(path, InputsConfig.checked(shared, "rows")):
        texts = [
            normalize(record.texts(_columns(field, chosen, record)), normalization)
            for field in fields
        ]
        yield KeptInput(tuple(texts), {name: _kept(name, record) for name in keep})


def _kept(name: str, record: Record) -> Any:
    if name not in record.values:
        names = [str(each) for each in record.values]
        raise CorpusError(
            f"{record.file}, line {record.line}: there is no column '{name}' to keep, only "
            f"{', '.join(map(repr, names[:12]))}.{did_you_mean(name, names)}"
        )
    return record.values[name]


def _columns(field: str, chosen: Mapping[str, Any], record: Record) -> tuple[Column, ...]:
    """Return the columns of a text: those of the training, else the one of the field's name."""
    learned = as_columns(chosen.get(field))
    if learned and all(column in record.values for column in learned):
        return learned
    if field in record.values:
        return (field,)
    names = [str(name) for name in record.values]
    wanted = " ".join(str(column) for column in learned) or field
    raise CorpusError(
        f"{record.file}, line {record.line}: there is no column '{wanted}' as in training, and "
        f"none is called '{field}', only {', '.join(map(repr, names[:12]))}."
        f"{did_you_mean(wanted, names)} Rename the column of the text to '{field}'."
    )
