"""Writes passages as they come: texts one after another, each text once, and all its places."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import ModelFileError
from foretext.base.files import open_file, output_error
from foretext.base.parsing import write_tensors
from foretext.search.cutting import Passage
from foretext.search.folder import IndexFolder
from foretext.search.passages import PLACE_COLUMNS, Passages

__all__ = ["PassageWriter"]

BUFFERED = 1 << 14  # places that are turned into an array together


class PassageWriter:
    """Writes `passages.txt` while texts are read, and the places at the end.

    Args:
        folder: of the new index.
        keep_duplicates: a text that stands at several places becomes a passage at each.
        before: passages of an index that grows; their texts must be in `folder` already.
    """

    def __init__(
        self, folder: IndexFolder, *, keep_duplicates: bool = False, before: Passages | None = None
    ) -> None:
        self._folder = folder
        self._keep_duplicates = keep_duplicates
        self._rows: dict[bytes, int] = {}  # digest of a text -> its passage
        self._starts = [0]
        self._places: list[tuple[int, ...]] = []
        self._blocks: list[NDArray[np.int64]] = []
        if before is not None:
            self._take(before)
        mode = "wb" if before is None else "ab"
        try:
            self._file = open_file(folder.texts, mode)
        except OSError as error:
            raise output_error(folder.texts, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._file.close()  # writes what is left
        except OSError as problem:
            raise output_error(self._folder.texts, problem) from problem

    @property
    def num_passages(self) -> int:
        """Passages so far."""
        return len(self._starts) - 1

    def add(self, passage: Passage, source: int) -> None:
        """Add a passage of the file number `source`.

        Raises:
            OutputError: it cannot be written.
        """
        data = passage.text.encode("utf-8", "replace") + b"\n"
        digest = _digest(data)
        row = None if self._keep_duplicates else self._rows.get(digest)
        if row is None:
            row = self._rows[digest] = self.num_passages
            self._write(data)
            self._starts.append(self._starts[-1] + len(data))
        lines = passage.first_line, passage.last_line
        self._places.append((row, source, *lines, passage.start, passage.end))
        if len(self._places) >= BUFFERED:
            self._pack()

    def finish(self) -> int:
        """Write where everything is, and return the number of places.

        Raises:
            OutputError: it cannot be written.
        """
        self._write(b"", flush=True)
        self._pack()
        places = np.concatenate([np.empty((0, PLACE_COLUMNS), np.int64), *self._blocks])
        places = places[np.argsort(places[:, 0], kind="stable")]
        starts = np.array(self._starts, np.int64)
        write_tensors(self._folder.passages, {"starts": starts, "places": places})
        return len(places)

    def _take(self, before: Passages) -> None:
        """Go on behind the passages that are there."""
        for row in range(len(before)):
            data = before.text(row).encode("utf-8", "replace") + b"\n"
            self._rows.setdefault(_digest(data), row)
            self._starts.append(self._starts[-1] + len(data))
        self._blocks.append(np.array(before.all_places()))
        written = self._folder.texts.stat().st_size
        if written != self._starts[-1]:
            raise ModelFileError(
                f"{self._folder.path} is damaged: its texts are not UTF-8; make the index again "
                "with --overwrite."
            )

    def _pack(self) -> None:
        if self._places:
            self._blocks.append(np.array(self._places, np.int64))
            self._places = []

    def _write(self, data: bytes, *, flush: bool = False) -> None:
        try:
            self._file.write(data)
            if flush:
                self._file.flush()
        except OSError as error:
            raise output_error(Path(self._file.name), error) from error


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
