"""Texts as numbers of distinct words: made once, for any number of trainings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from foretext.corpus.counts import Cutter
from foretext.corpus.word_table import WordTable, new_scratch
from foretext.kernels.fasttext_features import intern_lines, word_hashes
from foretext.kernels.letters import Letters
from foretext.tasks.fasttext.splitter import Blanks, line_bytes
from foretext.vectors.ngrams import LINE_END

__all__ = ["InternedTexts", "blocks_of"]

BLOCK = 1 << 20  # characters worked on at once


@dataclass(frozen=True)
class InternedTexts:
    """The words of N texts, W of them distinct, in the order in which they were met."""

    words: list[str]  # W; the first is the line end, which stands behind every text
    counts: np.ndarray  # (W,) int64
    hashes: np.ndarray  # (W,) int32
    tokens: np.ndarray  # (T,) int32, indices into words
    starts: np.ndarray  # (N + 1,) int64, where each text begins in tokens

    @classmethod
    def of(cls, texts: Sequence[str], splitter: Cutter, prefix: str) -> InternedTexts:
        """Cut the texts into words; those that begin with `prefix` are labels and left out."""
        table = _LineTable()
        tokens, starts = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        for block in blocks_of(texts):
            found, ends = table.intern(*line_bytes(block, splitter), splitter.letters, prefix)
            tokens.append(found)
            starts.append(ends + starts[-1][-1])
        spelled = table.words(np.arange(len(table)))
        return cls(
            [word.decode("utf-8", "replace") for word in spelled],
            table.counts.copy(),
            word_hashes(table.arrays),
            np.concatenate(tokens),
            np.concatenate(starts),
        )

    def __len__(self) -> int:
        return len(self.starts) - 1


class _LineTable(WordTable):
    """Words with their counts, the line end before all others."""

    def __init__(self) -> None:
        super().__init__()
        line_end = np.frombuffer(LINE_END.encode(), np.uint8)
        self.count(line_end, 0, Blanks().letters)
        self.arrays.counts[0] = 0

    def intern(
        self, data: np.ndarray, line_ends: np.ndarray, letters: Letters, prefix: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the tokens of a block of lines, and where each line ends among them."""
        tokens = np.empty(data.size // 2 + len(line_ends) + 1, np.int32)
        starts, state = np.zeros(len(line_ends) + 1, np.int64), np.zeros(3, np.int64)
        label = np.frombuffer(prefix.encode(), np.uint8)
        scratch = new_scratch()
        while not intern_lines(
            data, line_ends, letters, self.arrays, scratch, label, tokens, starts, state
        ):
            self._grow()
        return tokens[: state[2]].copy(), starts[1:]


def blocks_of(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of texts that have about `BLOCK` characters together."""
    begin = size = 0
    for number, text in enumerate(texts):
        size += len(text) + 1
        if size >= BLOCK:
            yield texts[begin : number + 1]
            begin, size = number + 1, 0
    if begin < len(texts):
        yield texts[begin:]
