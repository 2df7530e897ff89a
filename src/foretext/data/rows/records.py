r"""The rows of labelled files, whatever their format: found, unpacked, decoded, taken apart.

Rows end at "\n" only. Compressed files are recognised by their first bytes, formats by the suffix
or else by the first line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any, BinaryIO, Literal

from foretext.base.errors import CorpusError
from foretext.base.parsing.json_file import json_collection, json_object, json_value
from foretext.corpus.compression import LARGEST_PIECE, unpacked, without_compression_suffix
from foretext.corpus.decoding import decoded, split_lines, with_line_feeds
from foretext.corpus.parquet import column_types, parquet_batches
from foretext.corpus.sources import Source, find_sources
from foretext.data.rows.absent_columns import refuse_absent_columns
from foretext.data.rows.fasttext_lines import fasttext_records, is_fasttext
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.label_formats import plain_row
from foretext.data.rows.label_formats.docbin import docbin_records
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.settings import LabelledConfig, RowsConfig
from foretext.data.rows.table import are_tabbed, cells_of_csv, csv_records, tsv_records
from foretext.data.rows.token_lines import refuse_token_lines
from foretext.data.rows.trec_lines import are_trec, trec_records
from foretext.messages import message

__all__ = [
    "HEAD",
    "RowFormat",
    "format_of",
    "format_within",
    "json_records",
    "json_values",
    "judged_records",
    "parquet_records",
    "read_lines",
    "read_records",
    "until_text",
]

OPTION = "--set rows.encoding="  # of finetune, whose run keeps it for predict and evaluate
LARGEST_ARRAY = 1 << 29  # characters of a file that is one JSON array, which is read as a whole
HEAD = 1000  # lines that say what a file is
RowFormat = Literal["auto", "csv", "tsv", "jsonl", "fasttext", "trec", "parquet", "docbin"]
_SUFFIXES: dict[str, RowFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".spacy": "docbin",
}

PARQUET = b"PAR1"  # first bytes of a file

Classes = dict[str, list[str]]  # the names of ids by column


def read_records(names: RowSource, config: LabelledConfig) -> Iterator[Record]:
    """Yield the rows of files.

    Args:
        names: a file, folder, glob, URL or ``-``, or several.
        config: how they are read.

    Raises:
        CorpusError: nothing is there, or a row is not what it should be.
        MissingExtraError: a package for this format is not installed.
    """
    for source in find_sources(names):
        yield from _records(source, config)


def read_lines(source: Source, encoding: str, largest: int = LARGEST_PIECE) -> Iterator[str]:
    """Yield the lines of a file, unpacked and decoded, without their ends.

    Raises:
        CorpusError: it cannot be read, or is damaged, or in another encoding, or a line is longer
            than `largest`.
    """
    with source.open() as file:
        chunks = unpacked(file, source.name, largest)
        text = with_line_feeds(decoded(chunks, encoding, source.name, OPTION))
        yield from split_lines(text, source.name, largest)


def format_of(source: Source, config: LabelledConfig) -> RowFormat:
    """Return the format of a file, by the settings, its suffix, or the bytes of Parquet.

    Raises:
        CorpusError: the file cannot be read.
    """
    suffix = PurePosixPath(without_compression_suffix(source.name)).suffix.lower()
    if config.format != "auto" or suffix in _SUFFIXES:
        return _SUFFIXES[suffix] if config.format == "auto" else config.format
    if source.size is None:  # a stream, which is read once
        return "auto"
    with source.open() as file:
        return "parquet" if file.read(len(PARQUET)) == PARQUET else "auto"


def format_within(head: Sequence[str], named: RowFormat, config: LabelledConfig) -> RowFormat:
    """Return the format of a file by its first lines, too: a .csv may hold tabs, as of STS-B.

    Args:
        head: the first lines.
        named: its `format_of`.
        config: whose format, if one is given, is taken as it is.
    """
    is_open = config.format == "auto" and named == "csv"
    return "tsv" if is_open and are_tabbed(head) else named


def _records(source: Source, config: LabelledConfig) -> Iterator[Record]:
    format = format_of(source, config)
    if format == "docbin":
        return docbin_records(source)
    if format == "parquet":
        return parquet_records(source, config)
    lines = read_lines(source, config.encoding, config.max_piece_bytes)
    if format in ("auto", "tsv", "csv"):
        head = list(islice(lines, HEAD))
        lines = chain(head, lines)
        if format != "csv":
            refuse_token_lines(head, source.name)
        format = format_within(head, format, config)
        format = "trec" if format == "auto" and are_trec(head) else format
    if format == "auto":
        return _by_first_line(head, lines, source.name, config)
    if format == "jsonl":
        return json_records(lines, source.name, labelled=True)
    if format == "trec":
        return trec_records(lines, source.name, config)
    if format == "fasttext":
        return fasttext_records(lines, source.name, config)
    if format == "tsv" and config.may_lack_header and head and "\t" in head[0]:
        return _by_tabs(head, lines, source.name, config)
    read = csv_records if format == "csv" else tsv_records
    wanted = None if config.is_numbered else config.columns
    if wanted is not None:
        refuse_absent_columns(head, source.name, config, is_csv=format == "csv")
    return read(lines, source.name, wanted, ragged=config.ragged)


def _by_first_line(
    head: Sequence[str], lines: Iterator[str], name: str, config: LabelledConfig
) -> Iterator[Record]:
    first = next(filter(str.strip, head), "")
    if is_fasttext(first, config):
        return fasttext_records(lines, name, config)
    if first.lstrip().startswith(("{", "[")):
        return json_records(lines, name, labelled=True)
    if "\t" not in first and {*config.columns} <= {*cells_of_csv(first)}:
        return csv_records(lines, name, config.columns)
    if "\t" not in first:
        raise CorpusError(_unknown_format(first, name, config))
    return _by_tabs(head, lines, name, config)


def _unknown_format(first: str, name: str, config: LabelledConfig) -> str:
    """Say what a first line is not, of what this task reads."""
    if config.headerless.keys() == RowsConfig.headerless.keys():
        return message("errors.rows.unknown_format", name=name)
    if is_fasttext(first, RowsConfig()):
        return message("errors.rows.single_texts", name=name)
    return message("errors.rows.no_columns", name=name)


def _by_tabs(
    head: Sequence[str], lines: Iterator[str], name: str, config: LabelledConfig
) -> Iterator[Record]:
    """Read values separated by tabs, with a header or without."""
    if config.is_numbered:
        return tsv_records(lines, name, None, ragged=config.ragged)
    first = next(filter(str.strip, head), "")
    if config.columns == type(config)().columns and not set(config.columns) <= {*first.split("\t")}:
        return _named_by_position(tsv_records(lines, name, None), config)
    refuse_absent_columns(head, name, config, is_csv=False)
    return tsv_records(lines, name, config.columns, ragged=config.ragged)


def _numbered(config: LabelledConfig) -> str:
    """Return options of finetune that name columns by number."""
    names = [name.replace("_", "-") for name in config.headerless]
    return " ".join(f"--{name} {2 * place + 1}" for place, name in enumerate(names[:2]))


def _other_task(record: Record, config: LabelledConfig) -> str:
    """Say which task has rows of so many columns, if another one has."""
    columns = len(record.values)
    if config.headerless.keys() == {"label", "text"} and columns == 3:
        return " Two texts and what they are to each other are rows of `matching`."
    if "text_a" in config.headerless and columns == 2:
        return " A text with its label is a row of `classification`."
    return ""


def _named_by_position(records: Iterator[Record], config: LabelledConfig) -> Iterator[Record]:
    """Give the columns of a plain file, such as ``label<TAB>text``, their usual names."""
    for record in records:
        if len(record.values) != len(config.headerless):
            raise record.error(
                f"{len(record.values)} fields where {'<TAB>'.join(config.headerless)} are "
                f"expected; name the columns by number (such as {_numbered(config)})."
                f"{_other_task(record, config)}"
            )
        values = {name: record.values[number] for name, number in config.headerless.items()}
        yield record._replace(values=values)


def json_records(lines: Iterable[str], name: str, *, labelled: bool = False) -> Iterator[Record]:
    """Yield the object of each line, or those of one array; empty lines are skipped.

    Objects of Label Studio, doccano and Prodigy become plain ones (`plain_row`).

    Args:
        lines: of the file.
        name: of the file, for messages.
        labelled: whether objects of these programs that nobody has labelled are left out.

    Raises:
        CorpusError: a line that is not a JSON object.
    """
    for record, is_labelled in judged_records(lines, name):
        if is_labelled or not labelled:
            yield record


def judged_records(lines: Iterable[str], name: str) -> Iterator[tuple[Record, bool]]:
    """Yield the objects as `json_records` does, and whether somebody has labelled each.

    Raises:
        CorpusError: a line that is not a JSON object.
    """
    for record, values in _json_objects(lines, name):
        if not isinstance(values, dict):
            raise record.error(_no_object(values))
        row = plain_row(values)
        yield record._replace(values=row.values), row.is_labelled


def _json_objects(lines: Iterable[str], name: str) -> Iterator[tuple[Record, Any]]:
    """Yield the value of each line, or the elements of one array, whose numbers are their lines."""
    given = iter(lines)
    head = list(until_text(given))
    if not head or not head[-1].lstrip().startswith("[") or _is_row(head[-1]):
        yield from json_values(chain(head, given), name)
        return
    text, length = [], 0
    for line in chain(head, given):
        text.append(line)
        length += len(line)
        if length > LARGEST_ARRAY:
            raise CorpusError(
                f"{name} is one JSON array of more than {LARGEST_ARRAY:,} characters; write an "
                "object a line, as `jq -c '.[]'` does."
            )
    try:
        values = json_value("\n".join(text))
    except ValueError as error:
        at = getattr(error, "lineno", 1)  # foreign: of json.JSONDecodeError
        raise Record({}, name, at).error(
            f"this is not JSON ({error}); the file holds one JSON array: correct it, or export it "
            "again."
        ) from None
    yield from ((Record({}, name, number), value) for number, value in enumerate(values, start=1))


def _is_row(line: str) -> bool:
    """Whether a line is a whole array that holds no objects, and so no file of them."""
    value = json_collection(line)
    return isinstance(value, list) and not all(isinstance(each, dict) for each in value)


def until_text(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines up to the first one that is not empty."""
    for line in lines:
        yield line
        if line.strip():
            return


def json_values(lines: Iterable[str], name: str) -> Iterator[tuple[Record, Any]]:
    """Yield the value of each line, behind an empty record of its place; empty lines are skipped.

    Raises:
        CorpusError: a line that is not JSON.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = Record({}, name, number)
        try:
            value = json_value(line)
        except ValueError as error:
            raise _broken(line, record, error) from None
        yield record, value


def _broken(line: str, record: Record, error: Exception) -> CorpusError:
    if record.line == 1 and line.strip() == "{":
        return record.error(
            "the file holds one JSON value over many lines, not one object a line; convert it "
            "with `jq -c .`."
        )
    where = message("errors.location.line", file=record.file, line=record.line)
    return CorpusError(message("errors.json.broken", where=where, cause=error))


def _no_object(values: object) -> str:
    if isinstance(values, list):
        what = "a JSON array, where one object a line is expected"
        if all(isinstance(each, dict) for each in values):
            return f"{what}; convert it with `jq -c '.[]'`."
        return (
            f"{what}; give its values names, such as `jq -c '{{text_a: .[0], text_b: .[1]}}'` "
            "(`sentence_vectors` reads arrays of texts)."
        )
    return f'{type_name(values)} is there, and an object such as {{"text": "..."}} is expected.'


def parquet_records(
    source: Source, config: LabelledConfig, *, every: bool = False, named: bool = True
) -> Iterator[Record]:
    """Yield the rows; their places are numbers of rows from 1.

    Ids of classes that `datasets` names in the file become these names.

    Args:
        source: of the file, which may be compressed as a whole.
        config: whose columns are read.
        every: whether all columns are read.
        named: whether ids of classes become their names.

    Raises:
        MissingExtraError: pyarrow is not installed.
        CorpusError: the file is damaged, or has no such column.
    """
    columns = None if every else [str(column) for column in config.columns]
    classes: Classes = {}

    def check(schema: Any) -> None:
        for column in columns or ():
            Record(column_types(schema), source.name, 1).value(column)
        if named:
            classes.update(_class_names(schema.metadata or {}))

    with _opened(source, config.max_piece_bytes) as file:
        batches = parquet_batches(file, columns, source.name, check)
        for number, values in enumerate(chain.from_iterable(batches), start=1):
            present = {name: classes[name] for name in classes if name in values}
            labels = {name: _named(values[name], names) for name, names in present.items()}
            yield Record({**values, **labels}, source.name, number)


def _class_names(metadata: Mapping[bytes, bytes]) -> Classes:
    """Return the names of the classes of each column, as the library `datasets` keeps them."""
    kept = json_object(metadata.get(b"huggingface", b"").decode("utf-8", "replace")) or {}
    features = _object(_object(kept.get("info")).get("features"))
    found = {name: _names_of(feature) for name, feature in features.items()}
    return {name: names for name, names in found.items() if names}


def _names_of(feature: Any) -> list[str]:
    """Return the names of a column of ids, or of lists of ids; []: it has none."""
    inner = feature[0] if isinstance(feature, list) and feature else feature
    inner = _object(inner).get("feature", inner)
    names = _object(inner).get("names")
    if not isinstance(names, list) or _object(inner).get("_type") != "ClassLabel":
        return []
    return [str(name) for name in names]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _named(value: Any, names: Sequence[str]) -> Any:
    """Return an id, or a list of ids, as names; one that has none, such as -1, stays a number."""
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    is_id = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names)
    return names[value] if is_id else value


@contextmanager
def _unpacked(source: Source, largest: int) -> Iterator[BinaryIO]:
    with source.open() as file:
        yield BytesIO(b"".join(unpacked(file, source.name, largest)))


def _opened(source: Source, largest: int) -> AbstractContextManager[BinaryIO]:
    """Open a file of Parquet; one that is compressed as a whole is unpacked in memory."""
    with source.open() as file:
        is_plain = file.read(len(PARQUET)) == PARQUET
    return source.open() if is_plain else _unpacked(source, largest)
