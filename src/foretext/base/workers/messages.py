"""What a process and its workers say to each other through pipes: lines of JSON.

To a worker go values that its module knows. From it comes one line for each thing it is asked for:
``[result, null]``, or ``[null, [class, sentence]]`` of what went wrong.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from foretext.base import errors
from foretext.base.errors import ForetextError
from foretext.base.parsing.json_text import json_value

__all__ = ["answer_line", "read_answer", "read_values", "values_line"]

MADE_OF_A_SENTENCE = ("CorpusError", "OutputError", "SettingError")


def values_line(*values: Any) -> bytes:
    """Return the line that says some values."""
    return json.dumps(values).encode() + b"\n"


def read_values(lines: BinaryIO) -> list[Any] | None:
    """Read the next values; None: there are no more, or their line was cut off."""
    line = lines.readline()
    return json_value(line.decode()) if line.endswith(b"\n") else None


def answer_line(result: Any = None, problem: ForetextError | None = None) -> bytes:
    """Return the line that answers one question."""
    return values_line(result, problem and [type(problem).__name__, str(problem)])


def read_answer(line: bytes) -> Any:
    """Return the result that an answer has.

    Raises:
        ForetextError: what went wrong instead.
    """
    result, problem = json_value(line.decode())
    if problem is None:
        return result
    name, sentence = problem
    kind = getattr(errors, name) if name in MADE_OF_A_SENTENCE else ForetextError
    raise kind(sentence)
