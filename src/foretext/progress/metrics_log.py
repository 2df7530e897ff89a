"""The figures of a run, one JSON object a line, that survive a crash and a resume."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO, cast

from foretext.base.errors import OutputError
from foretext.base.files import atomic_file, open_file, output_error
from foretext.base.parsing import parse_json, read_bytes

__all__ = ["MetricsLog"]

LARGEST = 1 << 30  # bytes; a record has a few hundred


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
        return len(self._lines())

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

    def read(self, kind: Any = dict[str, Any]) -> list[Any]:
        """Return all records, the oldest first; none when there is no file.

        Args:
            kind: type that every record must have, as pydantic understands it.

        Raises:
            OutputError: a line is no record, or one of another type; the sentence names it.
        """
        return [
            parse_json(line, f"{self.path}, line {number},", OutputError, kind)
            for number, line in self._lines()
        ]

    def restore(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Make the file hold the records that a checkpoint knew of, and no others.

        Without any there is no file, as in a training that is not resumed.
        """
        self.close()
        if not records:
            self.path.unlink(missing_ok=True)
            return
        lines = [json.dumps(record, allow_nan=False, ensure_ascii=False) for record in records]
        with atomic_file(self.path) as temporary:
            temporary.write_bytes("".join(f"{line}\n" for line in lines).encode())

    def truncate(self, num_records: int) -> None:
        """Keep the first `num_records`, those a checkpoint knew of, and drop what came after."""
        self.close()
        kept = self._lines()[:num_records]
        with atomic_file(self.path) as temporary:
            temporary.write_bytes(b"".join(line + b"\n" for _, line in kept))

    def close(self) -> None:
        """Close the file; a later `append` opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> TextIO:
        self.truncate(len(self._lines()))  # a new record must not be glued to a torn one
        return cast(TextIO, open_file(self.path, "a"))

    def _lines(self) -> list[tuple[int, bytes]]:
        """Number and text of each line that holds a record."""
        if not self.path.exists():
            return []
        lines = read_bytes(self.path, OutputError, largest=LARGEST).split(b"\n")
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if numbered and not _is_record(numbered[-1][1]):
            numbered.pop()  # torn by a crash
        for number, line in numbered:
            if not _is_record(line):
                raise OutputError(
                    f"{self.path}, line {number}: this is not a JSON object; "
                    "delete the line, or start the run again in another folder."
                )
        return numbered


def _is_record(line: bytes) -> bool:
    try:
        parse_json(line, "", OutputError)
    except OutputError:
        return False
    return True
