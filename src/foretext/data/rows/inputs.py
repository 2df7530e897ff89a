"""Lines of text as the inputs of a predictor: a text each, or the texts that a question needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.errors import CorpusError
from foretext.parsing import parse_json

__all__ = ["Input", "line_input"]

# The texts of one line, in the order of a predictor's fields; for a tagger the tokens of the text
# may stand behind it.
Input = tuple[str, ...]


def line_input(line: str, number: int, fields: Sequence[str]) -> Input:
    """Split a line into the texts of `fields`: separated by tabs, or a JSON object that has them.

    A line that begins like JSON and is none is taken as plain text.

    Args:
        line: without its end.
        number: of the line, for messages.
        fields: names of the texts, such as ``("text_a", "text_b")``.

    Raises:
        CorpusError: a text is missing, or there are too many.
    """
    values = _json_object(line)
    if values is not None:
        if missing := [name for name in fields if not isinstance(values.get(name), str)]:
            raise CorpusError(f"line {number}: the JSON object has no text '{missing[0]}'.")
        return tuple(values[name] for name in fields)
    parts = tuple(line.split("\t")) if len(fields) > 1 else (line,)
    if len(parts) != len(fields):
        raise CorpusError(
            f"line {number}: {len(parts)} fields where {'<TAB>'.join(fields)} are expected; a JSON "
            "object with these names works, too."
        )
    return parts


def _json_object(line: str) -> dict[str, Any] | None:
    if not line.startswith("{"):
        return None
    try:
        values: dict[str, Any] = parse_json(line, "", CorpusError)
    except CorpusError:
        return None
    return values
