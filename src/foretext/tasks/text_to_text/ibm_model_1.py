"""IBM model 1: which words translate each other, learned from pairs of texts (Brown et al. 1993).

Every target word is the translation of some source word of its row, or of the empty word, and all
of these are equally likely before anything is learned. What remains are the rates t(f | e) of
target words f for each source word e, which expectation and maximisation bring to the one maximum
of the likelihood.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config as Settings
from foretext.base.errors import CorpusError
from foretext.kernels.ibm_model_1 import (
    add_pairs,
    expect,
    find_pairs,
    maximise,
    rehash,
)

__all__ = ["IbmModel1", "WordRows"]

FIRST_SLOTS, FULL_RATE = 1 << 16, 0.7  # of the table of pairs

Words = NDArray[np.int32]


class WordRows(NamedTuple):
    """The words of R texts end to end, as numbers from 1."""

    words: Words  # (N,)
    starts: NDArray[np.int64]  # (R + 1,)

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> WordRows:
        """Put rows end to end, four bytes a word."""
        words, starts = array("i"), array("q", [0])
        for row in rows:
            words.extend(row)
            starts.append(len(words))
        return cls(np.array(words, np.int32), np.array(starts, np.int64))

    def every(self, step: int) -> WordRows:
        """Return every step-th row."""
        ends = zip(self.starts[:-1:step], self.starts[1::step], strict=True)
        return WordRows.of(self.words[start:end].tolist() for start, end in ends)


class IbmModel1:
    """The rates t(f | e) of target words for source words; word 0 is the empty source word.

    Attributes:
        num_rows: rows that it has learned from: all, or some where their pairs of words are too
            many.
        likelihoods: mean log-likelihood of a target word before each iteration, in nats.
    """

    class Config(Settings):
        """How long it learns, and in how much memory."""

        iterations: int = Field(default=5, ge=1)
        """Passes over the rows."""
        max_pairs: int = Field(default=10_000_000, ge=1)
        """Pairs of words whose rates are kept, at most; each takes about 40 bytes."""

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or self.Config()

    def fit(self, sources: WordRows, targets: WordRows) -> Self:
        """Learn from R rows and their translations.

        Raises:
            CorpusError: no row has words on both sides.
        """
        if not (np.diff(sources.starts) * np.diff(targets.starts)).any():
            raise CorpusError(
                "No row has a word on both sides, so that no translation can be learned; give "
                "rows with texts on both sides."
            )
        taken = self._with_pairs(sources, targets)
        step = ceil((len(sources.starts) - 1) / max(taken, 1))
        if step > 1:  # rows may be sorted: the first ones alone could be of one kind
            sources, targets = sources.every(step), targets.every(step)
            taken = self._with_pairs(sources, targets)
        self.num_rows = taken
        self._learn(sources, targets)
        return self

    def rates(self, sources: Sequence[int] | Words, targets: Sequence[int] | Words) -> Words:
        """Return t(f | e) of each pair of a source word e and a target word f, (N,) float32."""
        wanted = np.asarray(sources, np.uint64) << np.uint64(32) | np.asarray(targets, np.uint64)
        slots = np.empty(len(wanted), np.int64)
        find_pairs(self._keys, wanted, slots)
        found: Words = np.where(slots < 0, np.float32(0), self._rates[slots])
        return found

    def best_targets(self) -> Words:
        """Return the likeliest target word of each source word, (source words,); 0: there is none.

        Of equally likely ones it is the first.
        """
        slots = np.flatnonzero(self._keys)
        sources = (self._keys[slots] >> np.uint64(32)).astype(np.int64)
        targets = (self._keys[slots] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        order = np.lexsort((-targets, self._rates[slots], sources))  # the best comes last
        best = np.zeros(self._num_sources, np.int32)
        best[sources[order]] = targets[order]
        return best

    def _with_pairs(self, sources: WordRows, targets: WordRows) -> int:
        """Fill the table of pairs; returns the number of rows for which it has room."""
        texts = (sources.words, sources.starts, targets.words, targets.starts)
        keys = np.zeros(FIRST_SLOTS, np.uint64)
        row = taken = 0
        while True:
            most = int(min(FULL_RATE * len(keys), self.config.max_pairs))
            row, taken = add_pairs(*texts, row, keys, taken, most)
            if row == len(sources.starts) - 1 or most == self.config.max_pairs:
                break
            larger = np.zeros(2 * len(keys), np.uint64)
            rehash(keys, larger)
            keys = larger
        self._keys = keys
        return int(row)

    def _learn(self, sources: WordRows, targets: WordRows) -> None:
        texts = (sources.words, sources.starts, targets.words, targets.starts)
        num_words = int(targets.starts[self.num_rows])
        self._num_sources = int(sources.words.max()) + 1
        self._rates = np.full(len(self._keys), 1 / int(targets.words.max()), np.float32)
        counts, totals = np.zeros(len(self._keys)), np.empty(self._num_sources)
        slots = np.empty(int(np.diff(sources.starts).max()) + 1, np.int64)
        self.likelihoods = []
        for _ in range(self.config.iterations):
            found = expect(*texts, self.num_rows, self._keys, self._rates, counts, slots)
            maximise(self._keys, counts, totals, self._rates)
            self.likelihoods.append(found / max(num_words, 1))
