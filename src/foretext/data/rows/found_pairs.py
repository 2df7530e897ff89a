"""How a file of pairs is read whose columns nobody named: they are found in its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from foretext.base.errors import CorpusError
from foretext.data.rows.pair_columns import (
    AmbiguousColumnsError,
    PairColumns,
    find_pair_columns,
    header_of,
    names_texts,
)
from foretext.data.rows.pairs import PairsConfig
from foretext.data.rows.records import read_records

__all__ = ["found_pairs_config", "names_text_pairs"]

SAMPLE = 1000  # rows
NUMBERED = {"text_a": 1, "text_b": 2, "label": 3}  # reads every row, the header too, by numbers


def found_pairs_config(path: str | Path) -> PairsConfig:
    """Return the settings for a file of pairs: names of columns, or numbers without a header.

    Raises:
        CorpusError: the file cannot be read, or its columns cannot be told apart.
    """
    header, rows = _sample(path)
    if not rows:
        raise CorpusError(f"{path} has no rows; give a file with pairs of texts.")
    try:
        found = find_pair_columns(header, rows)
    except AmbiguousColumnsError as error:
        shown = ", ".join(repr(name) for name in header or []) or "no header"
        raise CorpusError(
            f"{path}: {error} (columns: {shown}); name the columns with --text-a, --text-b, and "
            "--score or --label; by their numbers from 1 where there is no header."
        ) from None
    return PairsConfig.checked(_settings(found, header), "rows")


def names_text_pairs(path: str | Path) -> bool:
    """Whether the header of a file, or its first JSON object, names two texts.

    Raises:
        CorpusError: the file cannot be read.
    """
    try:
        header, _ = _sample(path, rows=2)
    except CorpusError:  # it is a text, which has no columns
        return False
    return header is not None and names_texts(header)


def _settings(found: PairColumns, header: list[str] | None) -> dict[str, Any]:
    def column(place: int) -> str | int:
        return place + 1 if header is None else header[place]

    settings: dict[str, Any] = {"text_a": column(found.text_a), "text_b": column(found.text_b)}
    if found.score is not None:
        return settings | {"score": column(found.score), "label": None}
    assert found.label is not None
    return settings | {"label": column(found.label)}


def _sample(path: str | Path, rows: int = SAMPLE) -> tuple[list[str] | None, list[list[str]]]:
    """Return the names of the columns, None without a header, and the first rows."""
    records = islice(read_records(path, PairsConfig.checked(NUMBERED, "rows")), rows + 1)
    values: list[Mapping[Any, Any]] = [record.values for record in records]
    if values and all(isinstance(name, str) for name in values[0]):  # JSON
        names = list(values[0])
        return names, [[_cell(row.get(name)) for name in names] for row in values]
    cells = [[_cell(cell) for cell in row.values()] for row in values]
    header = header_of(cells)
    return header, cells if header is None else cells[1:]


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
