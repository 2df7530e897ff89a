"""JSON of any type, such as lines of which a file has millions, read fast and without a check."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["json_collection", "json_object", "json_value"]


def json_value(text: str) -> Any:
    """Return what a JSON text holds, of whatever type; strings may hold half a surrogate pair.

    The caller knows file and line, and makes the sentence.

    Raises:
        ValueError: it is no JSON; nothing else is raised, whatever the text is.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError:
        raise
    except ValueError:  # what Python says names settings of the interpreter
        raise ValueError("a number has thousands of digits") from None
    except MemoryError:
        raise ValueError("it is too large for the memory of this machine") from None


def json_collection(line: str) -> dict[str, Any] | list[Any] | None:
    """Return the object or the array that a line holds; None: it is neither."""
    if not line.lstrip().startswith(("{", "[")):
        return None
    try:
        values = json_value(line)
    except ValueError:
        return None
    return values if isinstance(values, dict | list) else None


def json_object(line: str) -> dict[str, Any] | None:
    """Return the object that a line holds; None: it is none."""
    if not line.lstrip().startswith("{"):
        return None
    values = json_collection(line)
    return values if isinstance(values, dict) else None
