"""CSV (RFC 4180) and TSV with a header: each row is a document, one column is the text."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Literal

from foretext.base.errors import CorpusError
from foretext.corpus.column_lookup import missing_column
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.decoding import split_lines
from foretext.messages import message

__all__ = ["broken_csv", "csv_rows", "tsv_rows"]

_LONGEST_FIELD = 1 << 27  # characters; a longer field has an unclosed quotation mark


def csv_rows(
    chunks: Iterable[str], column: str, name: str, largest: int = LARGEST_PIECE
) -> Iterator[str]:
    """Yield `column` of a comma-separated file with a header; quoted fields can contain line ends.

    Raises:
        CorpusError: no such column, a row with another number of fields than the header, or an
            unclosed quotation mark.
    """
    lines = (line + "\n" for line in split_lines(chunks, name, largest))
    return _delimited(lines, column, name, delimiter=",", quoting=csv.QUOTE_MINIMAL)


def tsv_rows(
    chunks: Iterable[str], column: str, name: str, largest: int = LARGEST_PIECE
) -> Iterator[str]:
    """Yield `column` of a tab-separated file with a header; quotation marks are plain text.

    Raises:
        CorpusError: no such column, or a row with another number of fields than the header.
    """
    lines = split_lines(chunks, name, largest)
    return _delimited(lines, column, name, delimiter="\t", quoting=csv.QUOTE_NONE)


def _delimited(
    lines: Iterator[str], column: str, name: str, *, delimiter: str, quoting: Literal[0, 3]
) -> Iterator[str]:
    csv.field_size_limit(_LONGEST_FIELD)  # of the whole process; the default refuses long articles
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    started = 1
    try:
        header = next(reader, None)
        if header is None:
            return
        index = _column_index(header, column, name)
        started = reader.line_num + 1
        for row in reader:
            if len(row) != len(header) and row:
                raise _ragged(row, header, message("errors.location.line", file=name, line=started))
            if row:
                yield row[index]
            started = reader.line_num + 1
    except csv.Error as error:
        raise broken_csv(error, message("errors.location.line", file=name, line=started)) from None


def _column_index(header: list[str], column: str, name: str) -> int:
    if column in header:
        return header.index(column)
    raise missing_column(message("errors.location.line", file=name, line=1), column, header)


def _ragged(row: list[str], header: list[str], where: str) -> CorpusError:
    key = "more" if len(row) > len(header) else "fewer"
    known = {"where": where, "fields": len(row), "columns": len(header)}
    return CorpusError(message(f"errors.csv.{key}_fields", **known))


def broken_csv(error: csv.Error, where: str) -> CorpusError:
    """Return an error on a row whose quotation marks are wrong; `where` names file and line."""
    if "limit" in str(error) or "end of data" in str(error):
        return CorpusError(message("errors.csv.open_quote", where=where))
    if "new-line" in str(error):
        return CorpusError(message("errors.csv.carriage_return", where=where))
    return CorpusError(message("errors.csv.broken", where=where, cause=error))
