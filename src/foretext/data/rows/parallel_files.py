"""Two files whose lines belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["ParallelFiles", "as_parallel_files"]


class ParallelFiles(NamedTuple):
    """Two files of which each line belongs to the line of the same number in the other."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} and {self.target}"


def as_parallel_files(given: Any) -> ParallelFiles | None:
    """Return two names of files as parallel files; None: something else is given."""
    is_pair = isinstance(given, list | tuple) and len(given) == 2
    if not is_pair or not all(isinstance(name, str | Path) for name in given):
        return None
    return ParallelFiles(*map(str, given))
