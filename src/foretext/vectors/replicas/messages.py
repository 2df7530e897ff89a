"""What a training and its processes say to each other through pipes: a line of JSON each time.

To a process: what opens its part, ``[opener, arguments]``, then what it is asked for, as ``[name,
arguments]``. From it: ``[result, null]`` each time, or ``[null, what went wrong]``.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from foretext.errors import ForetextError
from foretext.parsing import parse_json

__all__ = ["answer_line", "asking_line", "read_answer", "read_asking"]


def asking_line(name: str, arguments: list[Any]) -> bytes:
    """Return a line to a process."""
    return json.dumps([name, arguments]).encode() + b"\n"


def read_asking(lines: BinaryIO) -> tuple[str, list[Any]] | None:
    """Read a line to a process; None: there are no more."""
    line = lines.readline()
    if not line.endswith(b"\n"):
        return None
    found: tuple[str, list[Any]] = parse_json(line, "a line", ForetextError, tuple[str, list[Any]])
    return found


def answer_line(result: Any, problem: str | None = None) -> bytes:
    """Return a line from a process."""
    return json.dumps([result, problem]).encode() + b"\n"


def read_answer(line: bytes) -> Any:
    """Return the result that a process gave.

    Raises:
        ForetextError: what went wrong there.
    """
    found: tuple[Any, str | None] = parse_json(
        line, "an answer", ForetextError, tuple[Any, str | None]
    )
    result, problem = found
    if problem is not None:
        raise ForetextError(problem)
    return result
