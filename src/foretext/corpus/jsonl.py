"""JSON lines: one object per line, one of its fields is the text of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from foretext.base.errors import CorpusError
from foretext.base.parsing.json_file import json_value
from foretext.corpus.column_lookup import has_column, missing_column, nested_names, value_at
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.decoding import split_lines
from foretext.messages import message

__all__ = ["jsonl_rows"]


def jsonl_rows(
    chunks: Iterable[str], column: str, name: str, largest: int = LARGEST_PIECE
) -> Iterator[str]:
    """Yield the text under `column` of each object, "" for null; empty lines are skipped.

    Raises:
        CorpusError: a line that is not a JSON object, or has no text under `column`.
    """
    for number, line in enumerate(split_lines(chunks, name, largest), start=1):
        if not line.strip():
            continue
        try:
            row = json_value(line)
        except ValueError as error:
            raise _broken_json(line, number, _where(name, number), error) from None
        if not isinstance(row, dict):
            known = {"kind": _json_type(row), "column": column}
            where = _where(name, number)
            raise CorpusError(message("errors.json.no_object", where=where, **known))
        if not has_column(row, column):
            raise missing_column(_where(name, number), column, nested_names(row))
        may_be_half = r"\ud" in line.lower()
        yield _text(value_at(row, column), column, name, number, may_be_half=may_be_half)


def _where(name: str, number: int) -> str:
    return message("errors.location.line", file=name, line=number)


def _broken_json(line: str, number: int, where: str, error: Exception) -> CorpusError:
    if line.lstrip().startswith("[") and number == 1:
        return CorpusError(message("errors.json.array", where=where))
    return CorpusError(message("errors.json.broken", where=where, cause=error))


def _text(value: Any, column: str, name: str, number: int, *, may_be_half: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        known = {"kind": _json_type(value), "column": column}
        where = _where(name, number)
        raise CorpusError(message("errors.json.no_text", where=where, **known))
    if may_be_half and any("\ud800" <= character <= "\udfff" for character in value):
        where = _where(name, number)
        raise CorpusError(message("errors.json.half_pair", where=where, column=column))
    return value


def _json_type(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")
