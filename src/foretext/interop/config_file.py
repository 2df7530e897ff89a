"""The config.json of a model folder, and the other small files beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from foretext.errors import ModelFileError
from foretext.files import atomic_file

__all__ = ["read_json", "read_vocab_size", "write_json"]


def read_json(path: Path) -> Any:
    """Return what a file holds.

    Raises:
        ModelFileError: it is not there, or no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelFileError(
            f"{path} is missing; give the folder of a model, which holds such a file."
        ) from None
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path} cannot be read as JSON ({error}).") from error


def read_vocab_size(config: dict[str, Any], path: Path) -> int:
    """Return the number of token vectors.

    Raises:
        ModelFileError: the config.json of `path` does not say it.
    """
    found = config.get("vocab_size")
    if not isinstance(found, int) or found < 1:
        raise ModelFileError(f"{path}: vocab_size = {found!r} is no number of tokens.")
    return found


def write_json(path: Path, content: Any) -> None:
    """Write a file, whole or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
