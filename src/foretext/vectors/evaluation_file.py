"""The lines of an evaluation file that mean something, with their places for messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from foretext.base.errors import EvaluationError
from foretext.base.parsing import read_bytes
from foretext.base.parsing.json_file import with_line_feeds

__all__ = ["read_evaluation_lines"]


def read_evaluation_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield "file, line n" and the line, without blank lines and those that begin with ``#``.

    Raises:
        EvaluationError: the file cannot be read, or is not UTF-8.
    """
    try:
        text = read_bytes(path, EvaluationError).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        raise EvaluationError(
            f"{path}, line {number}: not UTF-8; save the file as UTF-8."
        ) from None
    for number, line in enumerate(with_line_feeds(text).split("\n"), start=1):
        line = line.rstrip().lstrip(" ")  # a tab may stand before a first column without a name
        if line and not line.startswith("#"):
            yield f"{path}, line {number}", line
