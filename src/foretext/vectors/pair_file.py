"""Files of two words, or two texts, and a score: taken apart, and their columns found."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from foretext.base.errors import EvaluationError
from foretext.data.rows.pair_columns import (
    AmbiguousColumnsError,
    PairColumns,
    as_number,
    find_pair_columns,
)
from foretext.vectors.evaluation_file import read_evaluation_lines

__all__ = ["PairFile", "ScoredPair", "read_pair_file"]

SEPARATORS = ("\t", ";", ",")  # in this order; without any of them, white space
# More letters of a writing without blanks (Chinese, Japanese, Thai, Lao, Burmese, Khmer) than a
# word has, or a mark at the end of a sentence.
UNDIVIDED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{7}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{25}"
    r"|[，。！？；]"
)
SAMPLE = 20  # lines that the separator is found from


class ScoredPair(NamedTuple):
    """Two words or texts, and how alike people find them."""

    first: str
    second: str
    score: float


class PairFile(NamedTuple):
    """The rows of a file, and which columns they were read from."""

    pairs: list[ScoredPair]
    columns: tuple[str, str, str]  # names, or numbers from 1

    @property
    def holds_texts(self) -> bool:
        """Whether most cells are texts of several words, which not every writing divides."""
        several = sum(
            " " in text or UNDIVIDED.search(text) is not None
            for pair in self.pairs
            for text in pair[:2]
        )
        return several > len(self.pairs)


class _Line(NamedTuple):
    place: str
    cells: list[str]
    text: str


def read_pair_file(path: Path, columns: Sequence[str] | None = None) -> PairFile:
    """Read two words and a score a line, separated by tabs, semicolons, commas or blanks.

    ``#`` begins a comment line; a first line without a number, above lines that have one, names the
    columns.

    Args:
        path: of the file.
        columns: of both words and of the score: names, or numbers from 1; None: as found by
            `foretext.data.rows.pair_columns`.

    Raises:
        EvaluationError: the columns cannot be told apart, a line without two words and a number, or
            a file without pairs.
    """
    lines = list(read_evaluation_lines(path))
    parsed = _split(lines)
    header = _header(parsed)
    rows = parsed[1:] if header is not None else parsed
    if (
        not any(as_number(cell) is not None for row in rows for cell in row.cells[2:])
        and not columns
    ):
        raise EvaluationError(f"{path}: no line holds two words and a score.")
    found = _chosen(path, header, columns) if columns else _found(path, header, rows)
    pairs = [_pair(row, found) for row in rows]
    places = (found.text_a, found.text_b, found.score or 0)
    named = header if header is not None else [str(place + 1) for place in range(max(places) + 1)]
    a, b, score = (named[place] for place in places)
    return PairFile(pairs, (a, b, score))


def _split(lines: Sequence[tuple[str, str]]) -> list[_Line]:
    """Take lines apart by the separator that all of the first ones have."""
    sample = [text for _, text in lines[: SAMPLE + 1] if _has_number(text)]
    usual = next((mark for mark in SEPARATORS if all(mark in text for text in sample)), None)
    found = []
    for number, (place, text) in enumerate(lines):
        separator = usual
        if number == 0 and (usual is None or usual not in text):  # a header of another form
            separator = next((mark for mark in SEPARATORS if mark in text), None)
        found.append(_Line(place, _cells(text, separator), text))
    return found


def _has_number(text: str) -> bool:
    cells = re.split(r"[\t;,]", text)
    return any(as_number(cell) is not None for cell in (cells if cells[1:] else text.split()))


def _cells(text: str, separator: str | None) -> list[str]:
    if separator == ",":
        return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True))]
    return [cell.strip() for cell in text.split(separator)]


def _header(lines: Sequence[_Line]) -> list[str] | None:
    """Return the names of the columns, if the first line has no number and a later one has."""
    if len(lines) < 2 or any(as_number(cell) is not None for cell in lines[0].cells):
        return None
    if all(as_number(cell) is None for cell in lines[1].cells):
        return None
    width = max(len(line.cells) for line in lines[1:])
    names = lines[0].cells
    return names if len(names) == width else [str(place + 1) for place in range(width)]


def _found(path: Path, header: list[str] | None, rows: Sequence[_Line]) -> PairColumns:
    names = header if header is not None and not all(name.isdecimal() for name in header) else None
    cause = "there is no column of scores"
    try:
        found = find_pair_columns(names, [row.cells for row in rows])
    except AmbiguousColumnsError as error:
        cause = str(error)
    else:
        if found.score is not None:
            return found
    shown = ", ".join(repr(name) for name in header or []) or "no header"
    raise EvaluationError(
        f"{path}: {cause} (columns: {shown}); name the columns with --text-a, --text-b and "
        "--score, or by their numbers from 1."
    )


def _chosen(path: Path, header: list[str] | None, columns: Sequence[str]) -> PairColumns:
    names = header or []
    places = []
    for column in columns:
        if column in names:
            places.append(names.index(column))
        elif column.isdecimal() and int(column) > 0:
            places.append(int(column) - 1)
        else:
            shown = ", ".join(repr(name) for name in names) or "none, for the file has no header"
            raise EvaluationError(f"{path}: there is no column '{column}'; there are {shown}.")
    return PairColumns(places[0], places[1], places[2])


def _pair(row: _Line, columns: PairColumns) -> ScoredPair:
    assert columns.score is not None
    cells = [*row.cells, *[""] * (max(columns[:3]) + 1 - len(row.cells))]  # type: ignore[type-var, operator]
    first, second = cells[columns.text_a], cells[columns.text_b]
    score = as_number(cells[columns.score])
    if score is None or not (first and second):
        raise EvaluationError(
            f"{row.place}: two words and a score are expected, not '{row.text[:60]}'; correct the "
            "line or remove it."
        )
    return ScoredPair(first, second, score)
