"""JSON, checked against a type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from foretext.base.errors import ForetextError
from foretext.base.parsing.text_file import LARGEST, read_bytes

__all__ = ["check_value", "parse_json", "read_json"]

LONGEST_VALUE = 60  # letters of a wrong value that a sentence repeats


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
            f"{where} is damaged: {_described(problem)}; fetch or write it again."
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
