"""Counting pairs of words within a window of each other, under a memory budget.

As in the program of Pennington et al. (2014), two words at distance d within a window weigh 1/d in
both directions; where the user chooses so, all pairs weigh 1. No pair reaches over the end of a
sentence (there: of a line), and unknown words are dropped before distances are taken.

Sums are exact. A pair weighs a whole number of `pair_weights`' units, so that neither the number of
workers nor the parts that a memory budget cuts the text into change a bit of the result. The rows
of each part go to disk, and at the end the rows of all parts are added up.

Pairs of words counted by the shards of a text: by several processes, exactly, with restart. A
shard is a range of tokens of a fixed size. It is sent with the words around it that its windows
reach, so that it may begin and end within a sentence, and its rows wait on disk to be added up.
Sums are of whole numbers, so that they depend neither on shards nor on workers.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from foretext._version import __version__
from foretext.base.errors import OutputError, SettingError
from foretext.base.files import atomic_folder
from foretext.base.parsing import parse_json
from foretext.corpus.blocks import Advance, map_in_order
from foretext.data.token_file import TokenFile
from foretext.kernels.cooccurrence import (
    count_rows,
    halo_after,
    halo_before,
    known_words,
    list_places,
)
from foretext.shards import Shard, ShardEngine, ShardWork
from foretext.shards.work import Fill
from foretext.vectors.cooccurrence import Cooccurrence, CooccurrenceWriter, is_counted
from foretext.vectors.row_runs import Piece, Run, merge_runs, new_piece, pieces_of, trimmed

__all__ = [
    "ShardedPairs",
    "count_cooccurrence",
    "open_cooccurrence",
    "open_counter",
    "pair_weights",
]

LAYOUT = 1  # of the files; part of the fingerprint
LARGEST_UNIT = 1 << 32
TOKEN_BYTES = 16  # of a part's words, the places of each, and room for sentence ends
CELL_BYTES = 12  # column and sum
MOST_TOKENS = 1 << 30  # of a part: its places are int32
MOST_CELLS = 1 << 19  # of a piece: room that small is used again and stays in the cache
READ_CELLS = 1 << 16  # of each run at a time, about: many short reads take longer than adding
SHARDS = "pair-shards"  # beside the counts, until they are there
HASHED_AT_ONCE = 1 << 24

OPENER = "foretext.vectors.pair_counts:open_counter"
SHARD = 1 << 22  # tokens
HEAD = struct.Struct("<2q")  # places of a shard's own words, before all of its words


def count_cooccurrence(
    tokens: TokenFile,
    window: int,
    folder: Path,
    *,
    by_distance: bool = True,
    memory: int = 2 * 10**9,
    workers: int = 1,
    progress: Advance | None = None,
    engine: ShardEngine | None = None,
) -> Cooccurrence:
    """Count pairs within `window` words into `folder`, or take what is there already.

    What is there is taken when it was counted from the same ids and sentences in the same window.

    Args:
        by_distance: whether a pair at distance d weighs 1/d, and not 1.
        memory: bytes that counting may take; the files are mapped and not part of it. Of processes
            each takes some 100 MB beside it.
        workers: threads; with an engine they only add up what its processes have counted.
        progress: shows the words done.
        engine: whose processes count, by shards that wait beside `folder` until all is counted, so
            that after a kill the same call goes on. The files are the same. None: threads.

    Raises:
        OutputError: `folder` cannot be written, or holds something else.
        SettingError: `memory` is too little for the vocabulary.
    """
    fingerprint = fingerprint_of(tokens, window, by_distance=by_distance)
    if is_counted(folder, fingerprint):
        return Cooccurrence.open(folder, tokens.vocab_size)
    budget = _Budget.of(memory, workers, tokens.vocab_size)
    weights, unit = pair_weights(window, by_distance=by_distance)
    waiting = folder.with_name(SHARDS)
    with atomic_folder(folder) as temporary:
        if engine is None:
            rows = _count_parts(tokens, weights, budget, workers, progress, temporary)
        else:
            runs = ShardedPairs(engine, waiting, fingerprint).run(tokens, weights, progress)
            rows = merge_runs(runs, budget.merged(len(runs)), workers)
        with CooccurrenceWriter(temporary, tokens.vocab_size, unit) as out:
            out.append_all(rows)
        out.write_meta(fingerprint)
    shutil.rmtree(waiting, ignore_errors=True)
    return Cooccurrence.open(folder, tokens.vocab_size)


def open_cooccurrence(
    tokens: TokenFile, window: int, folder: Path, *, by_distance: bool = True
) -> Cooccurrence:
    """Open what an earlier run counted in the same text.

    Raises:
        OutputError: the folder holds no counts, or damaged ones.
        SettingError: they are of another text, vocabulary or window.
    """
    if not is_counted(folder, fingerprint_of(tokens, window, by_distance=by_distance)):
        settings = f"window = {window}" + ("" if by_distance else " and by_distance = false")
        raise SettingError(
            f"{folder} holds no counts of this text with its vocabulary and {settings}; "
            "leave out the setting cooccurrence, and they are counted."
        )
    return Cooccurrence.open(folder, tokens.vocab_size)


def pair_weights(window: int, *, by_distance: bool = True) -> tuple[np.ndarray, int]:
    """Return the weight of a pair by distance, (window + 1,) int64, and how much of it is 1.

    Without `by_distance` all pairs weigh the same.
    One is the least number that every distance divides, so that 1/d is exact, up to a window of 22;
    beyond that it is 2**32, and 1/d is rounded to that many parts.
    """
    if not by_distance:
        return np.array([0, *[1] * window], np.int64), 1
    unit = min(math.lcm(*range(1, window + 1)), LARGEST_UNIT)
    return np.array([0, *(round(unit / d) for d in range(1, window + 1))], np.int64), unit


class _Budget(NamedTuple):
    """What fits into memory at once."""

    tokens: int  # of a part of the text
    cells: int  # that a thread writes before they go to disk
    most_cells: int  # of all runs, that a thread adds up

    @classmethod
    def of(cls, memory: int, workers: int, vocab_size: int) -> _Budget:
        """Half for the text; half for threads: a row's sums, and cells of two pieces of work."""
        rows = workers * vocab_size * (CELL_BYTES + 1) + vocab_size * 16
        left = memory - rows
        cells = left // 2 // (workers * 2 * CELL_BYTES)
        if cells < vocab_size:
            least = rows + vocab_size * workers * 4 * CELL_BYTES
            raise SettingError(
                f"memory = {memory:,} bytes is too little for {vocab_size:,} words and {workers} "
                f"workers; give at least {math.ceil(least / 1e6)}MB."
            )
        tokens = min(max(left // 2 // TOKEN_BYTES, 1), MOST_TOKENS)
        return cls(tokens, min(cells, max(vocab_size, MOST_CELLS)), cells)

    def merged(self, num_runs: int) -> int:
        """Return how many cells of all runs are added up at a time."""
        return max(self.cells, min(self.most_cells, num_runs * READ_CELLS)) // 2


def _count_parts(
    tokens: TokenFile,
    weights: np.ndarray,
    budget: _Budget,
    workers: int,
    progress: Advance | None,
    folder: Path,
) -> Iterator[Piece]:
    """The rows of the text; where it takes several parts, theirs wait on disk to be added up."""

    def count(first: int, last: int) -> Iterator[Piece]:
        part = _known_part(tokens, len(weights) - 1, first, min(last, tokens.num_tokens))
        return _rows_around(part, weights, tokens.vocab_size, budget.cells, workers, progress)

    firsts = range(0, tokens.num_tokens, budget.tokens)
    if len(firsts) <= 1:
        yield from count(0, tokens.num_tokens)
        return
    with TemporaryDirectory(dir=folder) as spilled:
        runs = [
            Run.write(Path(spilled, str(at)), tokens.vocab_size, count(at, at + budget.tokens))
            for at in firsts
        ]
        yield from merge_runs(runs, budget.merged(len(runs)), workers)


def fingerprint_of(tokens: TokenFile, window: int, *, by_distance: bool = True) -> str:
    """Hexadecimal digest of the ids, the sentences, the window, and of weights that are all 1."""
    settings = (LAYOUT, window, tokens.vocab_size, *(() if by_distance else (False,)))
    digest = hashlib.blake2b(repr(settings).encode(), digest_size=16)
    for array in (tokens.ids, tokens.sentence_starts):
        for at in range(0, len(array), HASHED_AT_ONCE):
            digest.update(np.ascontiguousarray(array[at : at + HASHED_AT_ONCE]).data)
    return digest.hexdigest()


class _KnownWords(NamedTuple):
    """The known words of a part of a text, with as many around it as its windows reach."""

    words: np.ndarray  # (N,) int32, a 0 before, between and after sentences
    first: int  # place of the first word of the part itself
    last: int  # place behind its last one


def _known_part(tokens: TokenFile, window: int, first: int, last: int) -> _KnownWords:
    """Return the known words of the tokens `first` to `last` - 1, which may cut sentences."""
    ids, sentences = tokens.ids, tokens.sentence_starts
    if first == last:
        return _KnownWords(np.zeros(1, np.int32), 0, 0)
    before = int(np.searchsorted(sentences, first, side="right")) - 1
    after = int(np.searchsorted(sentences, last, side="left"))
    begin = halo_before(ids, first, sentences[before], window)
    end = halo_after(ids, last, sentences[after], window)
    words = np.empty(end - begin + after - before + 2, np.int32)
    size, *centres = known_words(ids, sentences, begin, first, last, end, words)
    return _KnownWords(words[:size], centres[0], centres[1])


def _rows_around(
    part: _KnownWords,
    weights: np.ndarray,
    vocab_size: int,
    capacity: int,
    workers: int = 1,
    progress: Advance | None = None,
) -> Iterator[Piece]:
    """Yield the rows of what stands around the words of a part.

    Args:
        part: of a text.
        weights: of pairs, by distance, (window + 1,) int64.
        vocab_size: the number of rows.
        capacity: cells of a piece, at most; a row is never cut.
        workers: threads.
        progress: shows the words done.
    """
    words, window = part.words, len(weights) - 1
    starts, places = list_places(words, part.first, part.last, vocab_size)
    most = np.minimum(2 * window * np.diff(starts), vocab_size)  # (V,) cells of each row

    def work(rows: tuple[int, int]) -> Piece:
        size = int(most[rows[0] : rows[1]].sum())
        piece = new_piece(rows[1] - rows[0], size)
        count_rows(words, starts, places, weights, *rows, *piece)
        return trimmed(piece)

    pieces = pieces_of(most, capacity)
    for rows, piece in zip(pieces, map_in_order(work, pieces, workers), strict=True):
        if progress is not None:
            progress.advance(int(starts[rows[1]] - starts[rows[0]]))
        yield piece


class ShardedPairs(NamedTuple):
    """Who counts the shards of a text, and where their rows wait.

    Attributes:
        engine: does the work.
        folder: of all rows; made where it is not there.
        fingerprint: of ids, sentences and weights: no rows of other ones are taken.
        num_tokens: of a shard.
    """

    engine: ShardEngine
    folder: Path
    fingerprint: str
    num_tokens: int = SHARD

    def run(
        self, tokens: TokenFile, weights: np.ndarray, progress: Advance | None = None
    ) -> list[Run]:
        """Count pairs, and return the rows of each shard, in order.

        Args:
            tokens: the text.
            weights: of pairs, by distance, (window + 1,) int64.
            progress: shows the words done.

        Raises:
            ForetextError: a shard cannot be counted, or its rows not be written; others stay.
        """
        name = f"{self.fingerprint[:16]}-{self.num_tokens}-{__version__}"
        settings = json.dumps([tokens.vocab_size, weights.tolist()])
        work = ShardWork(OPENER, settings, self.folder / name)
        runs = []
        for done in self.engine.run(work, self._shards(tokens, len(weights) - 1)):
            runs.append(Run(done.folder, tokens.vocab_size))
            if progress is not None:
                progress.advance(done.num_bytes)
        return runs

    def _shards(self, tokens: TokenFile, window: int) -> Iterator[Shard]:
        for number, first in enumerate(range(0, max(tokens.num_tokens, 1), self.num_tokens)):
            last = min(first + self.num_tokens, tokens.num_tokens)
            num_words = int(np.count_nonzero(tokens.ids[first:last]))
            yield Shard(number, partial(_data, tokens, window, first, last), num_words)


def open_counter(settings: str) -> Fill:
    """Return what counts the pairs of shards, for `foretext.shards.ShardWork`.

    Args:
        settings: the number of words and the weights by distance, as JSON.
    """
    values: tuple[int, list[int]] = parse_json(
        settings, "the weights of pairs", OutputError, tuple[int, list[int]]
    )
    vocab_size, weights = values[0], np.array(values[1], np.int64)
    capacity = max(vocab_size, MOST_CELLS)

    def fill(data: bytes, folder: Path) -> None:
        words = np.frombuffer(data, "<i4", offset=HEAD.size).astype(np.int32)
        part = _KnownWords(words, *HEAD.unpack_from(data))
        Run.write(folder, vocab_size, _rows_around(part, weights, vocab_size, capacity))

    return fill


def _data(tokens: TokenFile, window: int, first: int, last: int) -> bytes:
    part = _known_part(tokens, window, first, last)
    return HEAD.pack(part.first, part.last) + part.words.astype("<i4").tobytes()
