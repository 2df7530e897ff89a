"""Lines of text as the inputs of a predictor: a text each, or the texts that a question needs."""

from __future__ import annotations

from collections.abc import Sequence

from foretext.base.errors import CorpusError
from foretext.base.parsing.json_file import json_object
from foretext.data.rows.record import has_half_pair

__all__ = ["Input", "line_input"]

# The texts of one line, in the order of a predictor's fields; for a tagger the tokens of the text
# may stand behind it.
Input = tuple[str, ...]


def line_input(
    line: str, number: int, fields: Sequence[str], *, file: str = "", may_be_text: bool = False
) -> Input:
    """Split a line into the texts of `fields`: separated by tabs, or a JSON object that has them.

    A line that begins like JSON and is none is taken as plain text.

    Args:
        line: without its end.
        number: of the line, for messages.
        fields: names of the texts, such as ``("text_a", "text_b")``.
        file: its name, for messages.
        may_be_text: whether an object without these names is a plain text.

    Raises:
        CorpusError: a text is missing, or is no text, or there are too many.
    """
    place = f"{file}, line {number}" if file else f"line {number}"
    values = json_object(line)
    if values is not None:
        missing = [name for name in fields if not isinstance(values.get(name), str)]
        if not missing:
            return tuple(_whole(values[name], name, place) for name in fields)
        if not may_be_text:
            raise CorpusError(f"{place}: the JSON object has no text '{missing[0]}'.")
    parts = tuple(line.split("\t")) if len(fields) > 1 else (line,)
    if len(parts) != len(fields):
        raise CorpusError(
            f"{place}: {len(parts)} fields where {'<TAB>'.join(fields)} are expected; a JSON "
            "object with these names works, too."
        )
    return parts


def _whole(text: str, name: str, place: str) -> str:
    if has_half_pair(text):
        raise CorpusError(
            f"{place}: '{name}' holds half of a surrogate pair, which is no character; correct or "
            "remove the line."
        )
    return text
