"""The words of the shards of a text, counted by several processes and added up exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foretext.base.errors import OutputError
from foretext.base.parsing import map_array, read_bytes
from foretext.corpus.blocks import Advance, Blocks
from foretext.corpus.text_shards import TextShards, shard_blocks
from foretext.corpus.word_table import WordTable
from foretext.shards.portable import Portable
from foretext.shards.work import Fill

if TYPE_CHECKING:
    from foretext.corpus.counts import Cutter, PortableCutter

__all__ = ["counted_shards", "open_counter", "read_table", "write_table"]

OPENER = "foretext.corpus.shard_counts:open_counter"
WORDS, COUNTS = "words.txt", "counts.bin"
LARGEST = 1 << 31  # bytes of the words of a shard


def counted_shards(
    corpus: Blocks, cutter: PortableCutter, shards: TextShards, progress: Advance | None = None
) -> Iterator[WordTable]:
    """Yield the words of each shard of a text.

    Raises:
        ForetextError: the text cannot be read, or a shard not be counted.
    """
    for done in shards.run(corpus, OPENER, cutter.portable.written(), progress):
        yield read_table(done.folder)


def open_counter(settings: str) -> Fill:
    """Return what counts the words of shards, for `foretext.shards.ShardWork`.

    Args:
        settings: a cutter, as `Portable.written` returns it.
    """
    cutter: Cutter = Portable.read(settings).made()

    def fill(data: bytes, folder: Path) -> None:
        table = WordTable()
        for text in shard_blocks(data):
            table.count(cutter.utf8(text), 0, cutter.letters)
        write_table(folder, table)

    return fill


def write_table(folder: Path, table: WordTable) -> None:
    """Write the words, one a line, and their counts, with that of words that are too long."""
    words = table.words(np.arange(len(table)))
    (folder / WORDS).write_bytes(b"\n".join(words))
    counts = np.append(table.counts, table.num_too_long)
    (folder / COUNTS).write_bytes(counts.astype("<i8").tobytes())


def read_table(folder: Path) -> WordTable:
    """Read what `write_table` wrote.

    Raises:
        OutputError: a file is missing or damaged.
    """
    words = read_bytes(folder / WORDS, OutputError, largest=LARGEST)
    num_words = words.count(b"\n") + 1 if words else 0
    counts = map_array(folder / COUNTS, "<i8", num_words + 1, OutputError)
    table = WordTable.counted(words, counts[:-1], int(counts[-1]))
    if table is None:
        raise OutputError(f"{folder / WORDS} is damaged; delete its folder and run again.")
    return table
