"""What is kept of a shard until all shards are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from foretext.base.errors import OutputError
from foretext.base.parsing import map_array, parse_json, read_json
from foretext.cleaning.signatures import NUM_PERMUTATIONS

__all__ = ["Change", "KeptRow", "ShardFacts", "ShardFolder", "ShardParts", "row_bytes"]

DIGEST_BYTES = 16
FACTS = "shard.json"


class Change(BaseModel):
    """A document that normalising changed, where it first did so."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    place: str
    before: str
    after: str


class ShardFacts(BaseModel):
    """Counts of a shard; lists are over its documents in their order."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kept: list[int]  # numbers in the shard of the documents that are kept
    dropped: list[int]  # and of those that are not
    reasons: list[str]  # of these
    lengths: list[int]  # characters of the documents that are kept
    languages: list[str]
    characters: int  # of all documents, as they were read
    num_changed: int  # documents that normalising changed
    changes: list[Change]  # examples
    masked: dict[str, int]  # placeholders in documents that are kept


class ShardParts(NamedTuple):
    """What is written of a shard."""

    facts: ShardFacts
    kept: list[bytes]  # rows of JSON, without line ends
    dropped: list[bytes]
    digests: Sequence[bytes]
    signatures: NDArray[np.uint32] | None  # (K, 112)


class KeptRow(BaseModel):
    """A document that is kept, as a row of the clean corpus."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str
    file: str
    line: int | None = None
    row: int | None = None
    language: str | None = None


class ShardFolder:
    """A shard that is read.

    Args:
        path: of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, parts: ShardParts) -> None:
        """Write its files into the folder, which is there."""
        folder = self.path
        starts = np.zeros(len(parts.kept) + 1, np.int64)
        np.cumsum([len(row) + 1 for row in parts.kept], out=starts[1:])
        (folder / "kept.jsonl").write_bytes(b"".join(row + b"\n" for row in parts.kept))
        (folder / "starts.bin").write_bytes(starts.tobytes())
        (folder / "dropped.jsonl").write_bytes(b"".join(row + b"\n" for row in parts.dropped))
        (folder / "digests.bin").write_bytes(b"".join(parts.digests))
        if parts.signatures is not None:
            (folder / "signatures.bin").write_bytes(parts.signatures.tobytes())
        (folder / FACTS).write_text(parts.facts.model_dump_json(), encoding="utf-8", newline="\n")

    @property
    def facts(self) -> ShardFacts:
        """Counts, read from the file each time: all shards together have too many.

        Raises:
            OutputError: they are damaged.
        """
        facts: ShardFacts = read_json(self.path / FACTS, OutputError, ShardFacts)
        return facts

    def digests(self, num_kept: int) -> list[bytes]:
        """Return the digests of texts, (K,).

        Raises:
            OutputError: the file is damaged.
        """
        path = self.path / "digests.bin"
        found = map_array(path, f"S{DIGEST_BYTES}", num_kept, OutputError)
        data = found.tobytes()
        return [data[at : at + DIGEST_BYTES] for at in range(0, len(data), DIGEST_BYTES)]

    def signatures(self, num_kept: int) -> NDArray[np.uint32]:
        """Return the signatures of texts, (K, 112)."""
        path, size = self.path / "signatures.bin", num_kept * NUM_PERMUTATIONS
        return map_array(path, "<u4", size, OutputError).reshape(num_kept, NUM_PERMUTATIONS)

    def kept_rows(self) -> Iterator[bytes]:
        """Yield the rows of documents that are kept, with their line ends."""
        with (self.path / "kept.jsonl").open("rb") as file:
            yield from file

    def dropped_rows(self) -> Iterator[bytes]:
        """Yield the rows of documents that are not."""
        with (self.path / "dropped.jsonl").open("rb") as file:
            yield from file

    def kept_row(self, index: int, num_kept: int) -> KeptRow:
        """Return one document that is kept.

        Raises:
            OutputError: the files are damaged.
        """
        starts = map_array(self.path / "starts.bin", "<i8", num_kept + 1, OutputError)
        with (self.path / "kept.jsonl").open("rb") as file:
            file.seek(int(starts[index]))
            line = file.readline()
        row: KeptRow = parse_json(
            line.decode("utf-8", "replace"), str(self.path / "kept.jsonl"), OutputError, KeptRow
        )
        return row


def row_bytes(row: dict[str, Any]) -> bytes:
    """Return a row of JSON, letters as they are; half of a surrogate pair becomes ``?``."""
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")
