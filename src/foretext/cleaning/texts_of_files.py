"""Every text in a file of a test set, whatever the task: no column has to be named.

All strings of a row count, labels and ids too, because what is too short to be a text is left out
later (`foretext.cleaning.decontamination`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import PurePosixPath
from typing import Any

from foretext.base.errors import CorpusError
from foretext.base.parsing.json_text import json_value
from foretext.corpus import Corpus, CorpusConfig
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.parquet import parquet_batches
from foretext.corpus.sources import Source
from foretext.data.rows.records import read_lines
from foretext.data.rows.table import csv_records

__all__ = ["file_texts"]

_ENCODING = "utf-8"
_SHOWN = 50  # lines that show the kind of a file
_FEWEST_TAGGED = 10  # lines, with tokens in equally many columns

Text = tuple[str, str]  # its place in the file, such as "line 3", and the text


def file_texts(source: Source) -> Iterator[Text]:
    """Yield the texts of a file: rows of CSV, TSV, JSON, Parquet or CoNLL, or running text.

    Raises:
        CorpusError: it cannot be read.
        MissingExtraError: a package for this format is not installed.
    """
    suffix = PurePosixPath(without_compression_suffix(source.name)).suffix.lower()
    if suffix == ".parquet":
        return _placed("row", _parquet_rows(source))
    first = [*islice(read_lines(source, _ENCODING), _SHOWN)]
    beginning = "".join(first[:1])
    lines = read_lines(source, _ENCODING)
    if suffix == ".csv":
        records = csv_records(lines, source.name, ())
        return _placed("line", ((record.line, record.values) for record in records))
    if suffix in (".json", ".jsonl", ".ndjson") or beginning.startswith(("{", "[")):
        return _json_texts([*lines], source.name)
    if _are_tagged(first):
        return _placed("line", _tagged_rows(lines))
    if "\t" in beginning:
        return _placed("line", enumerate((line.split("\t") for line in lines), start=1))
    return _placed("document", enumerate(Corpus(source, CorpusConfig(format="txt")), start=1))


def _placed(unit: str, rows: Iterable[tuple[int, Any]]) -> Iterator[Text]:
    """Yield the strings of rows with numbers, at any depth."""
    return ((f"{unit} {number}", text) for number, row in rows for text in _strings(row))


def _parquet_rows(source: Source) -> Iterator[tuple[int, Any]]:
    columns: list[str] = []  # filled before the first batch is read
    with source.open() as file:
        batches = parquet_batches(
            file, columns, source.name, lambda schema: columns.extend(schema.names)
        )
        yield from enumerate(chain.from_iterable(batches), start=1)


def _json_texts(lines: list[str], name: str) -> Iterator[Text]:
    """Yield the strings of a value a line, or of one value on all lines."""
    written = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if len(written) > 1 and _is_json(written[0][1]):
        return _placed("line", ((number, _json(line, name, number)) for number, line in written))
    strings = _strings(_json("\n".join(lines), name, 1) if written else [])
    return _placed("string", enumerate(strings, start=1))


def _json(text: str, name: str, line: int) -> Any:
    try:
        return json_value(text)
    except ValueError as error:
        raise CorpusError(
            f"{name}, line {line}: this is not JSON ({error}); correct it, or give another file."
        ) from None


def _is_json(text: str) -> bool:
    try:
        json_value(text)
    except ValueError:
        return False
    return True


def _are_tagged(lines: list[str]) -> bool:
    """Whether lines have a token and its tags: equally many words each, two or more."""
    widths = [len(line.split()) for line in lines if line.strip()]
    return len(widths) >= _FEWEST_TAGGED and len({*widths}) == 1 and widths[0] > 1


def _tagged_rows(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the first columns between two empty lines as a text, with its first line."""
    numbered = enumerate((line.split() for line in lines), start=1)
    for has_token, rows in groupby(numbered, lambda row: bool(row[1])):
        if has_token:
            sentence = [*rows]
            yield sentence[0][0], " ".join(fields[0] for _, fields in sentence)


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a row, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for part in value.values() for text in _strings(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in _strings(part))
