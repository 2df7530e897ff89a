"""Rows as JSON lines that the reader of their task reads back as equal rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from foretext.base.files import atomic_file

__all__ = ["write_rows"]


def write_rows(objects: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write a JSON object a line, in UTF-8; the file appears whole or not at all.

    Args:
        objects: rows, as `RowModel.objects_of` gives them.
        path: of the file, whose name ends with ``.jsonl``.

    Raises:
        OutputError: it cannot be written.
    """
    lines = (f"{json.dumps(each, ensure_ascii=False)}\n" for each in objects)
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(lines)
