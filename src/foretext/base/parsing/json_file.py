"""JSON, checked against a type."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from foretext.base.errors import ForetextError
from foretext.base.parsing.lfs_pointer import lfs_pointer_error
from foretext.messages import message

__all__ = [
    "check_value",
    "json_collection",
    "json_object",
    "json_value",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_text",
    "with_line_feeds",
]

LONGEST_VALUE = 60  # letters of a wrong value that a sentence repeats

LARGEST = 1 << 28  # bytes; the largest tokenizer.json that was seen has 37 MB


def read_json(
    path: Path, error: type[ForetextError], kind: Any = dict[str, Any], *, largest: int = LARGEST
) -> Any:
    """Return what a JSON file holds.

    Args:
        path: of the file.
        error: class of what is raised.
        kind: type that the value must have, as pydantic understands it: a model, a dataclass,
            ``list[int]``. Nothing is converted: "1" is no number, though 1 is a float.
        largest: bytes that the file may have.

    Raises:
        ForetextError: of the class `error`: the file is missing, no JSON, or of another type.
    """
    return parse_json(read_bytes(path, error, largest=largest), str(path), error, kind)


def parse_json(
    text: str | bytes, where: str, error: type[ForetextError], kind: Any = dict[str, Any]
) -> Any:
    """Return what a JSON text holds; `where` names its place in the error's sentence.

    Raises:
        ForetextError: of the class `error`: the text is no JSON, or of another type.
    """
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    with _refused(where, error):
        return _adapter(kind).validate_json(content.removeprefix(b"\xef\xbb\xbf"), strict=True)


def check_value(value: Any, where: str, error: type[ForetextError], kind: Any) -> Any:
    """Return a value that was read already, of a type that is known only now.

    Raises:
        ForetextError: of the class `error`: it is of another type.
    """
    with _refused(where, error):
        return _adapter(kind).validate_python(value, strict=True)


@contextmanager
def _refused(where: str, error: type[ForetextError]) -> Iterator[None]:
    try:
        yield
    except ValidationError as problem:
        raise error(
            message("files.damaged.json", where=where, problem=_described(problem))
        ) from None
    except (RecursionError, MemoryError) as problem:
        raise error(f"{where} is nested too deeply or too large to be read.") from problem


@lru_cache(maxsize=128)
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _described(problem: ValidationError) -> str:
    first = problem.errors(include_url=False)[0]
    message = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
    place = ".".join(str(part) for part in first["loc"])
    if not place:
        return message[:1].lower() + message[1:]
    if first["type"] == "missing":
        return f"'{place}' is missing"
    value = repr(first["input"])
    shown = value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}..."
    return f"'{place}' = {shown} {message}"


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


def read_bytes(path: Path, error: type[ForetextError], *, largest: int = LARGEST) -> bytes:
    """Return the content of a file.

    Args:
        path: of a regular file; a pipe, which might never end, is refused.
        error: class of what is raised.
        largest: bytes that the file may have.

    Raises:
        ForetextError: of the class `error`: the file is missing, too large, a pointer of Git LFS,
            or cannot be read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise error(message("files.damaged.no_file", path=path))
        if status.st_size > largest:
            raise error(
                f"{path} has {status.st_size:,} bytes, and such a file has {largest:,} at most; "
                "fetch or write it again."
            )
        content = path.read_bytes()
    except FileNotFoundError:
        raise error(message("files.damaged.missing", path=path)) from None
    except ForetextError:  # of the class `error`, which may be a ValueError, too
        raise
    except (OSError, ValueError, MemoryError) as problem:
        raise error(f"{path} cannot be read: {_cause(problem)}.") from problem
    if (pointer := lfs_pointer_error(content, str(path), error)) is not None:
        raise pointer
    return content


def read_text(path: Path, error: type[ForetextError], *, largest: int = LARGEST) -> str:
    """Return the content of a UTF-8 file, without a byte order mark.

    Raises:
        ForetextError: of the class `error`: likewise, or the file is not UTF-8.
    """
    content = read_bytes(path, error, largest=largest)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise error(
            message("files.damaged.utf8", path=path, cause=problem.reason, byte=problem.start)
        ) from None


def with_line_feeds(text: str) -> str:
    """Return a text whose lines end with line feeds, where all of them end with carriage returns.

    Old Macintoshes, and Excel's "CSV (Macintosh)", end lines so.
    """
    return text if "\n" in text else text.replace("\r", "\n")


def _cause(problem: BaseException) -> str:
    said = getattr(problem, "strerror", None)  # foreign: an exception of any library
    return said or str(problem) or type(problem).__name__
