"""Pairs of words counted by the shards of a text: by several processes, exactly, with restart.

A shard is a range of tokens of a fixed size. It is sent with the words around it that its windows
reach, so that it may begin and end within a sentence, and its rows wait on disk to be added up.
Sums are of whole numbers, so that they depend neither on shards nor on workers.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from foretext._version import __version__
from foretext.base.errors import OutputError
from foretext.base.parsing import parse_json
from foretext.corpus.blocks import Advance
from foretext.data.token_file import TokenFile
from foretext.shards import Shard, ShardEngine, ShardWork
from foretext.shards.work import Fill
from foretext.vectors.pair_rows import KnownWords, known_part, rows_around
from foretext.vectors.row_runs import Run

__all__ = ["ShardedPairs", "open_counter"]

OPENER = "foretext.vectors.shard_pairs:open_counter"
SHARD = 1 << 22  # tokens
MOST_CELLS = 1 << 19  # of a piece, as where threads count
HEAD = struct.Struct("<2q")  # places of a shard's own words, before all of its words


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
        part = KnownWords(words, *HEAD.unpack_from(data))
        Run.write(folder, vocab_size, rows_around(part, weights, vocab_size, capacity))

    return fill


def _data(tokens: TokenFile, window: int, first: int, last: int) -> bytes:
    part = known_part(tokens, window, first, last)
    return HEAD.pack(part.first, part.last) + part.words.astype("<i4").tobytes()
