"""Rows of CSV (RFC 4180) and TSV, under the names of a header or under numbers from 1."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from foretext.corpus.delimited import broken_csv
from foretext.data.rows.record import Record
from foretext.data.rows.settings import Column
from foretext.data.rows.sheet_cells import unguarded_records
from foretext.messages import message

__all__ = [
    "are_tabbed",
    "cells_of_csv",
    "csv_records",
    "first_row_of_csv",
    "rows_of_csv",
    "tsv_records",
]

_QUOTED = re.compile(r'(?:^|,)"')  # a field of CSV that begins with a quotation mark
_LONGEST_FIELD = 1 << 27  # characters; longer means a quotation mark that is never closed

Row = tuple[int, list[str]]  # its first line, its fields


def csv_records(
    lines: Iterable[str], name: str, wanted: tuple[Column, ...] | None, *, ragged: bool = False
) -> Iterator[Record]:
    """Yield rows of comma-separated values; a quoted field may hold line ends.

    Args:
        lines: of the file.
        name: of the file, for messages.
        wanted: columns that the header must have; None: there is no header.
        ragged: whether rows may have more fields than the first one, which are left out, or fewer,
            as long as they have the columns that are read.

    Raises:
        CorpusError: no such column, a row of another length, or an open quotation mark.
    """
    records = _records(_csv_rows(lines, name), name, wanted, ragged=ragged)
    return records if wanted is None else unguarded_records(records)


def tsv_records(
    lines: Iterable[str], name: str, wanted: tuple[Column, ...] | None, *, ragged: bool = False
) -> Iterator[Record]:
    """Yield rows of values separated by tabs, in which quotation marks are text like any."""
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, start=1) if line)
    return _records(rows, name, wanted, ragged=ragged)


def cells_of_csv(line: str) -> list[str]:
    """Return the values of a line of comma-separated values; [] if it is none."""
    return first_row_of_csv([line])


def first_row_of_csv(lines: Iterable[str]) -> list[str]:
    """Return the values of the first row that has some; [] if it is none of CSV."""
    reader = csv.reader((line + "\n" for line in lines), strict=True)
    try:
        return next(filter(None, reader), [])
    except csv.Error:
        return []


def rows_of_csv(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the values of rows, up to the first one that is none of CSV."""
    try:
        yield from filter(None, csv.reader((line + "\n" for line in lines), strict=True))
    except csv.Error:
        return


def are_tabbed(head: Sequence[str]) -> bool:
    """Whether lines that a name calls CSV are separated by tabs, as those of STS-B are.

    The first line has tabs and no quoted field; and it has no comma, or most lines have as many
    tabs, each of them standing between two fields.

    Args:
        head: the first lines of a file, of which some may be empty.
    """
    lines = [line for line in head if line.strip()]
    if not lines or "\t" not in lines[0] or _QUOTED.search(lines[0]):
        return False
    tabs, cells = lines[0].count("\t"), len(cells_of_csv(lines[0]))
    if cells == 1:
        return True
    alike = sum(line.count("\t") >= tabs for line in lines)
    return len(lines) > 1 and tabs >= cells and 2 * alike > len(lines)


def _csv_rows(lines: Iterable[str], name: str) -> Iterator[Row]:
    csv.field_size_limit(_LONGEST_FIELD)  # of the whole process; the default refuses long articles
    reader = csv.reader((line + "\n" for line in lines), strict=True)
    started = 1
    try:
        for row in reader:
            if row:
                yield started, row
            started = reader.line_num + 1
    except csv.Error as error:
        raise broken_csv(error, message("errors.location.line", file=name, line=started)) from None


def _records(
    rows: Iterator[Row], name: str, wanted: tuple[Column, ...] | None, *, ragged: bool
) -> Iterator[Record]:
    first = next(rows, None)
    if first is None:
        return
    keys: list[Column] = list(range(1, len(first[1]) + 1))
    if wanted is None:
        rows = chain((first,), rows)
    else:
        keys = list(_header(first, name, wanted))
    for line, fields in rows:
        record = Record(dict(zip(keys, fields, strict=False)), name, line)
        if len(fields) != len(keys) and not ragged:
            raise record.translated_error(
                _ragged(len(fields), len(keys), has_header=wanted is not None)
            )
        yield record


def _header(first: Row, name: str, wanted: tuple[Column, ...]) -> list[str]:
    line, header = first
    for column in wanted:
        Record(dict.fromkeys(header), name, line).value(column)
    return header


def _ragged(found: int, expected: int, *, has_header: bool) -> str:
    key = "more_fields" if found > expected else "fewer_fields"
    whose = message(f"errors.row.{'the_header' if has_header else 'first_row'}")
    return message(f"errors.row.{key}", found=found, whose=whose, expected=expected)
