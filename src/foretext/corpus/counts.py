"""Exact counts of the words of a corpus, in bounded memory and several threads."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple, Protocol

import numpy as np

from foretext.base.errors import CorpusError, OutputError
from foretext.base.files import open_file, temporary_folder
from foretext.base.parsing import map_array, read_bytes
from foretext.corpus.blocks import Advance, Blocks, map_blocks
from foretext.corpus.text_shards import TextShards, shard_blocks
from foretext.corpus.word_table import WordTable
from foretext.kernels.letters import Letters
from foretext.messages import message
from foretext.shards.portable import Portable
from foretext.shards.work import Fill

__all__ = [
    "MAX_DISTINCT",
    "Cutter",
    "PortableCutter",
    "WordCounts",
    "count_words",
    "open_counter",
    "read_table",
    "write_table",
]

MAX_DISTINCT = 4_000_000  # in memory, about 100 bytes each
MOST_OPEN = 64  # files of sorted counts
SORTED_AT_ONCE = 1 << 18  # words, some 150 bytes each while they are Python's

OPENER = "foretext.corpus.counts:open_counter"
WORDS, COUNTS = "words.txt", "counts.bin"
LARGEST = 1 << 31  # bytes of the words of a shard


class Cutter(Protocol):
    """A pre-tokeniser as kernels need it."""

    @property
    def letters(self) -> Letters:
        """Tables for the kernels."""
        ...

    def utf8(self, text: str) -> np.ndarray:
        """(N,) uint8, what the kernels read."""
        ...


class PortableCutter(Cutter, Protocol):
    """One that other processes can make, too."""

    @property
    def portable(self) -> Portable:
        """What makes an equal one in another process."""
        ...


class WordCounts(NamedTuple):
    """The words of a corpus, the most frequent first, ties by code points."""

    words: list[str]
    counts: np.ndarray  # (V,) int64
    num_tokens: int  # all tokens of the corpus, with those of omitted words


def count_words(
    corpus: Blocks,
    pre_tokenizer: PortableCutter,
    *,
    min_count: int = 1,
    max_distinct: int = MAX_DISTINCT,
    most_words: int | None = None,
    workers: int = 1,
    progress: Advance | None = None,
    shards: TextShards | None = None,
) -> WordCounts:
    """Count the words that occur at least `min_count` times; of these, the first `most_words`.

    When the threads together have `max_distinct` different words, sorted counts are written to a
    temporary folder; they are merged at the end.

    With `shards` the text is counted by processes, in the place of threads, and what is counted
    once is there after a kill; the result is the same.

    Raises:
        CorpusError: there is no word, or none reaches `min_count`.
        OutputError: the temporary folder cannot be written.
    """
    with temporary_folder() as folder:
        workers = workers if shards is None else 1
        counter = _Counter(pre_tokenizer, folder, max(1, max_distinct // workers), workers)
        if shards is None:
            for _ in map_blocks(counter.count, corpus, workers, progress):
                pass
        else:
            for table in _counted_shards(corpus, pre_tokenizer, shards, progress):
                counter.add(table)
        return _sorted_counts(*counter.total(min_count, most_words), min_count, most_words)


class _Counter:
    """One table per thread, and the runs that were written."""

    def __init__(
        self, pre_tokenizer: Cutter, folder: Path, max_distinct: int, workers: int
    ) -> None:
        self.pre_tokenizer = pre_tokenizer
        self.folder = folder
        self.max_distinct = max_distinct
        self.runs: list[tuple[Path, int]] = []  # with the number of tokens
        self.numbers = count()
        self.tables: SimpleQueue[WordTable] = SimpleQueue()
        for _ in range(workers):
            self.tables.put(WordTable(max_distinct))

    def count(self, text: str) -> None:
        table = self.tables.get()
        try:
            data, at = self.pre_tokenizer.utf8(text), 0
            while (at := table.count(data, at, self.pre_tokenizer.letters)) < data.size:
                self._put_aside(table)
                table = WordTable(self.max_distinct)
        finally:  # without its table, another thread would wait forever
            self.tables.put(table)

    def add(self, counted: WordTable) -> None:
        """Add words that were counted by another process."""
        table = self.tables.get()
        if len(table) + len(counted) <= self.max_distinct:
            table.merge(counted)
        else:
            self._put_aside(table)
            table = counted
        self.tables.put(table)

    def total(self, min_count: int, most_words: int | None) -> tuple[list[bytes], list[int], int]:
        """Return words that occur `min_count` times, at least one, and the number of tokens.

        The first `most_words` are among them.
        """
        tables = [self.tables.get() for _ in range(self.tables.qsize())]
        if self.runs:
            while tables:  # the last one is let go of before the merge
                self._put_aside(tables.pop())
            paths, num_tokens = zip(*self.runs, strict=True)
            merged = self._merged(list(paths))
            return *_frequent(merged, min_count, most_words), sum(num_tokens)
        table = tables.pop()
        for other in tables:
            table.merge(other)
        least = min(min_count, table.counts.max(initial=0))
        if most_words is not None and most_words < len(table):
            least = max(least, np.partition(table.counts, -most_words)[-most_words])
        indices = np.flatnonzero(table.counts >= least)
        return table.words(indices), table.counts[indices].tolist(), table.num_tokens

    def _put_aside(self, table: WordTable) -> None:
        num_tokens = table.num_tokens
        for first in range(0, max(len(table), 1), SORTED_AT_ONCE):
            indices = np.arange(first, min(first + SORTED_AT_ONCE, len(table)))
            words = table.words(indices)
            pairs = sorted(zip(words, table.counts[indices].tolist(), strict=True))
            self.runs.append((self._write_run(pairs), num_tokens))
            num_tokens = 0

    def _write_run(self, pairs: Iterable[tuple[bytes, int]]) -> Path:
        path = self.folder / f"{next(self.numbers)}.run"
        with path.open("wb") as file:
            for pair in pairs:
                file.write(b"%b\t%d\n" % pair)  # no word contains a tab or a newline
        return path

    def _merged(self, paths: list[Path]) -> Iterator[tuple[bytes, int]]:
        """Yield each word once, with its total; a limited number of files is open at a time."""
        while len(paths) > MOST_OPEN:
            paths.append(self._write_run(_merge(paths[:MOST_OPEN])))
            for path in paths[:MOST_OPEN]:
                path.unlink()
            del paths[:MOST_OPEN]
        return _merge(paths)


def _merge(paths: Iterable[Path]) -> Iterator[tuple[bytes, int]]:
    merged = heapq.merge(*map(_read_run, paths), key=itemgetter(0))
    for word, group in groupby(merged, key=itemgetter(0)):
        yield word, sum(part for _, part in group)


def _frequent(
    totals: Iterable[tuple[bytes, int]], min_count: int, most_words: int | None
) -> tuple[list[bytes], list[int]]:
    """Return words that occur `min_count` times, or the most frequent one."""
    words: list[bytes] = []
    counts: list[int] = []
    most: tuple[int, bytes] = (0, b"")
    for word, total in totals:
        most = max(most, (total, word), key=itemgetter(0))
        if total >= min_count:
            words.append(word)
            counts.append(total)
        if most_words is not None and len(words) > 2 * most_words:
            words, counts = _first(words, counts, most_words)
    return (words, counts) if words else ([most[1]], [most[0]])


def _first(words: list[bytes], counts: list[int], most_words: int) -> tuple[list[bytes], list[int]]:
    """Return the most frequent words and their counts, in the order of the words."""
    order = sorted(range(len(words)), key=counts.__getitem__, reverse=True)[:most_words]  # stable
    order.sort()
    return [words[at] for at in order], [counts[at] for at in order]


def _read_run(path: Path) -> Iterator[tuple[bytes, int]]:
    with open_file(path) as file:
        for line in file:
            word, _, occurrences = line.partition(b"\t")
            yield word, int(occurrences)


def _sorted_counts(
    words: list[bytes],
    counts: list[int],
    num_tokens: int,
    min_count: int,
    most_words: int | None,
) -> WordCounts:
    if num_tokens == 0:
        raise CorpusError(message("errors.corpus.no_word"))
    if not words:
        raise CorpusError("The corpus has no word of at most 1,000 bytes; give files with text.")
    order = sorted(range(len(words)), key=words.__getitem__)  # UTF-8 sorts as code points do
    order.sort(key=counts.__getitem__, reverse=True)  # stable
    if (most := counts[order[0]]) < min_count:
        known = {"word": words[order[0]].decode(), "least": min_count, "most": most}
        key = "rare_word_once" if most == 1 else "rare_word"
        raise CorpusError(message(f"errors.corpus.{key}", **known))
    order = order[:most_words]
    return WordCounts(
        [words[index].decode() for index in order],
        np.array([counts[index] for index in order], np.int64),
        num_tokens,
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _counted_shards(
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
