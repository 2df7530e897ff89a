"""What Python held, as a source: read once, kept in a temporary file, and gone with its object."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from foretext.base.files import output_error, temporary_folder
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.source import Source

__all__ = ["COLUMN", "InMemory", "is_file_or_source", "spooled"]

COLUMN = "text"  # of a text in the temporary file
READING = {
    "format": "jsonl",
    "column": COLUMN,
    "encoding": "utf-8",
    "lines": "auto",
    "documents": "auto",
}


@dataclass(frozen=True)
class InMemory(Source):
    """What Python held, in a temporary file that goes with this object."""

    count: int = 0  # texts or rows
    are_tokens: bool = False  # whether every text was given as a list of its words

    def reading(self, config: CorpusConfig) -> CorpusConfig:
        """Return the settings for the temporary file; those of the user's files have no effect."""
        return config.model_copy(update=READING)


def is_file_or_source(given: object) -> bool:
    """Whether something names files or is a source already, and so is nothing in memory."""
    return isinstance(given, str | Path | Source)


def spooled(lines: Iterable[str], what: str, count: int | None = None) -> InMemory:
    """Write lines to a temporary file and return it as a source.

    Args:
        lines: without their ends.
        what: they are, in the plural.
        count: how many they are; None: as many as there are lines.

    Raises:
        OutputError: the file cannot be written.
    """
    held, digest, size, number = ExitStack(), hashlib.sha256(), 0, 0
    path = held.enter_context(temporary_folder()) / "memory"
    try:
        with _opened(path) as file:
            for line in lines:
                data = line.encode("utf-8", "surrogatepass") + b"\n"
                _write(file, data, path)
                digest.update(data)
                size, number = size + len(data), number + 1
            _write(file, b"", path, flush=True)
    except BaseException:  # of the disk, or of what yields the lines
        held.close()
        raise
    number = number if count is None else count
    opener = _Opener(path)
    weakref.finalize(opener, held.close)
    return InMemory(
        f"{number:,} {what} in memory", f"memory {digest.hexdigest()}", size, opener, number
    )


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise output_error(path, error) from error


def _write(file: BinaryIO, data: bytes, path: Path, *, flush: bool = False) -> None:
    try:
        file.write(data)
        if flush:
            file.flush()
    except OSError as error:
        raise output_error(path, error) from error


class _Opener:
    """Opens the temporary file, which is removed with this object."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self) -> BinaryIO:
        return self.path.open("rb", buffering=0)
