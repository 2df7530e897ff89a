"""Rows of JSON lines: one object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from foretext.base.parsing.json_text import json_value
from foretext.data.rows.record import Record, type_name

__all__ = ["json_records", "json_values"]


def json_records(lines: Iterable[str], name: str) -> Iterator[Record]:
    """Yield the object of each line; empty lines are skipped.

    Raises:
        CorpusError: a line that is not a JSON object.
    """
    for record, values in json_values(lines, name):
        if not isinstance(values, dict):
            raise record.error(_no_object(values))
        yield record._replace(values=values)


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
            raise record.error(_broken(line, number, error)) from None
        yield record, value


def _broken(line: str, number: int, error: Exception) -> str:
    if number == 1 and line.strip() in ("[", "{"):
        return (
            "the file holds one JSON value over many lines, not one object a line; convert it "
            "with `jq -c '.[]'`."
        )
    return f"this is not JSON ({error}); correct or remove the line."


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
