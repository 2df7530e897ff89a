"""TOML with sections, as recipes have it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from foretext.base.errors import ForetextError
from foretext.base.parsing.json_file import read_text
from foretext.messages import message

__all__ = ["parse_toml", "parse_toml_value", "read_toml"]

LARGEST = 1 << 20  # bytes; all settings of a recipe take about two thousand


def read_toml(path: Path, error: type[ForetextError]) -> dict[str, dict[str, Any]]:
    """Return the sections of a TOML file, each a table of settings.

    Raises:
        ForetextError: of the class `error`: the file is missing, is no TOML, or has a value
            outside of a section.
    """
    return parse_toml(read_text(path, error, largest=LARGEST), str(path), error)


def parse_toml(text: str, where: str, error: type[ForetextError]) -> dict[str, dict[str, Any]]:
    """Return the sections of a TOML text; `where` names its place in the error's sentence.

    Raises:
        ForetextError: of the class `error`: the text is no TOML, or a value is in no section.
    """
    try:
        sections = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as problem:
        raise error(message("files.damaged.toml", where=where, problem=problem)) from None
    except (RecursionError, MemoryError):
        raise error(f"{where} is not TOML: it is nested too deeply.") from None
    for name, values in sections.items():
        if not isinstance(values, dict):
            raise error(message("files.damaged.outside", where=where, name=name))
    return sections


def parse_toml_value(text: str, where: str, error: type[ForetextError]) -> Any:
    """Return a value as TOML writes it, or the text itself where TOML has no such value.

    Raises:
        ForetextError: of the class `error`: the text is nested too deeply.
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (RecursionError, MemoryError):
        raise error(f"{where} is nested too deeply.") from None
    except (tomllib.TOMLDecodeError, ValueError):  # and a number of more digits than Python reads
        return text
