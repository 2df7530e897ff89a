"""The figures of a run, one JSON object a line, that survive a crash and a resume."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from foretext.errors import OutputError
from foretext.files import atomic_file, output_error

__all__ = ["MetricsLog"]


class MetricsLog:
    """A JSON-lines file that is appended to, one record a line, each flushed when written.

    A crash can tear the last line; such a line is not a record: it is not read back, and it is
    dropped before the next record is written.

    Raises:
        OutputError: the file cannot be written, or a line within it is not a JSON object.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.read())

    def append(self, record: Mapping[str, Any]) -> None:
        """Write `record` as the last line; not-a-number has no JSON and is a ValueError."""
        line = json.dumps(dict(record), allow_nan=False, ensure_ascii=False)
        try:
            if self._file is None:
                self._file = self._open()
            self._file.write(line + "\n")
            self._file.flush()
        except OSError as error:
            raise output_error(self.path, error) from error

    def read(self) -> list[dict[str, Any]]:
        """Return all records, the oldest first; none when there is no file."""
        return [record for _, record in self._records()]

    def truncate(self, num_records: int) -> None:
        """Keep the first `num_records`, those a checkpoint knew of, and drop what came after."""
        self.close()
        kept = self._records()[:num_records]
        with atomic_file(self.path) as temporary:
            text = "".join(f"{line}\n" for line, _ in kept)
            temporary.write_text(text, encoding="utf-8", newline="\n")

    def close(self) -> None:
        """Close the file; a later `append` opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> TextIO:
        self.truncate(len(self))  # a new record must not be glued to a torn one
        return self.path.open("a", encoding="utf-8", newline="\n")

    def _records(self) -> list[tuple[str, dict[str, Any]]]:
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        parsed = [(line, _parsed(line)) for _, line in numbered]
        if parsed and parsed[-1][1] is None:
            parsed.pop()  # torn by a crash
        for (number, _), (_, record) in zip(numbered, parsed, strict=False):
            if record is None:
                raise OutputError(
                    f"{self.path}, line {number}: this is not a JSON object; "
                    "delete the line, or start the run anew in another folder."
                )
        return [(line, record) for line, record in parsed if record is not None]


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
