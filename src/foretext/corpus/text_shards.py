"""A text in normal form cut into shards, and the results of work on them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from foretext._version import __version__
from foretext.corpus.blocks import BLOCK, Advance, Blocks, cut_blocks
from foretext.shards import DoneShard, Shard, ShardEngine, ShardWork

__all__ = ["TextShards", "shard_blocks"]

SHARD = 1 << 23  # characters, about; a shard has whole documents


@dataclass(frozen=True)
class TextShards:
    """Who works on the shards of texts, and where results stand until `remove`.

    Attributes:
        engine: does the work.
        folder: of all results; made where it is not there.
        num_characters: of a shard, about.
    """

    engine: ShardEngine
    folder: Path
    num_characters: int = SHARD

    def run(
        self, corpus: Blocks, opener: str, settings: str, progress: Advance | None = None
    ) -> Iterator[DoneShard]:
        """Yield the shards of a text in order, once their results are there.

        Args:
            corpus: which is cut.
            opener: of `ShardWork`.
            settings: of it.
            progress: advances by the bytes read.

        Raises:
            ForetextError: the text cannot be read, or the work not be done.
        """
        of = [__version__, corpus.fingerprint, opener, settings, self.num_characters]
        digest = hashlib.sha256(json.dumps(of).encode()).hexdigest()[:16]
        work = ShardWork(opener, settings, self.folder / digest)
        for done in self.engine.run(work, self._shards(corpus)):
            if progress is not None:
                progress.advance(done.num_bytes)
            yield done

    def remove(self) -> None:
        """Remove all results."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _shards(self, corpus: Blocks) -> Iterator[Shard]:
        parts: list[str] = []
        number = length = reported = 0
        for block in corpus.blocks(BLOCK):
            parts.append(block)
            length += len(block)
            if length >= self.num_characters:
                yield Shard(number, partial(_data, parts), corpus.bytes_read - reported)
                parts, number, length, reported = [], number + 1, 0, corpus.bytes_read
        if parts:
            yield Shard(number, partial(_data, parts), corpus.bytes_read - reported)


def shard_blocks(data: bytes) -> Iterator[str]:
    """Return the text of a shard in blocks of whole documents."""
    return cut_blocks(data.decode("utf-8", "surrogatepass"), BLOCK)


def _data(parts: list[str]) -> bytes:
    return "".join(parts).encode("utf-8", "surrogatepass")
