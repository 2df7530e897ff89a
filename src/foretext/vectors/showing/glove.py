"""What GloVe learns from: how often words stand near each other, and how much each pair weighs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.shown import Grid, Note, Part, Shown, Table
from foretext.vectors.cooccurrence import Cooccurrence
from foretext.vectors.showing.parts import said
from foretext.vectors.tiles import HeldOutCells

if TYPE_CHECKING:
    from foretext.vectors.glove import GloVe
    from foretext.vectors.glove_weights import GloveWeights

__all__ = ["PairExamples"]

MOST_CONTEXTS = 12  # of a word, the most frequent ones
MATRIX_WORDS = 8  # rows and columns of the part of the matrix that is shown
PROBES = 9  # words whose ratios are shown
SHARES = (0.01, 0.1, 0.5, 1.0, 2.0)  # of x_max, of which the weights are shown
FREQUENT = 200  # words, of which examples are drawn
FEWEST = 3  # context words that two words have in common, to compare them

Counts = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairExamples:
    """What a model of GloVe learns from, before its first step.

    Attributes:
        config: the user's settings.
        words: V, of which word 0 stands for all that are left out.
        counts: (V,) of the words.
        plain: how often two words stand within a window.
        weighted: the same, each pair by 1 / its distance.
        weights: the first vectors and biases.
    """

    config: GloVe.Config
    words: list[str]
    counts: NDArray[np.int64]
    plain: Cooccurrence
    weighted: Cooccurrence
    weights: GloveWeights

    @property
    def learned(self) -> Cooccurrence:
        """The counts that are learned from."""
        return self.weighted if self.config.by_distance else self.plain

    def shown(self, number: int, seed: int) -> list[Shown]:
        """Show the matrix, the context words of some words, ratios of two, and the weights."""
        chosen = self._chosen(max(number, 2), seed)
        words = (
            Shown(said("glove.word", word=self.words[word]), tuple(self._word(word)))
            for word in chosen[:number]
        )
        return [
            Shown(said("glove.title"), tuple(self._matrix())),
            *words,
            *([self.ratios(*self._pair(chosen))] if len(chosen) > 1 else []),
            Shown(said("glove.weights"), tuple(self._weights(chosen[0]))),
        ]

    def _chosen(self, number: int, seed: int) -> list[int]:
        """Draw words of the most frequent ones that have neighbours, but not of the very first."""
        has = np.flatnonzero(np.diff(self.learned.row_starts) > 0)
        if not len(has):
            raise CorpusError("No word has a neighbour; give longer sentences.")
        has_letters = np.array([any(map(str.isalpha, self.words[word])) for word in has])
        has = has[has_letters] if has_letters.any() else has
        order = has[np.argsort(-self.counts[has], kind="stable")][:FREQUENT]
        order = order[min(len(order) // 5, max(len(order) - number, 0)) :]
        drawn = np.random.default_rng(seed).permutation(len(order))[:number]
        return [int(order[at]) for at in drawn]

    def _matrix(self) -> Iterator[Part]:
        config = self.config
        weight = said("glove.by_distance" if config.by_distance else "glove.plainly")
        cells, size = self.learned.num_cells, len(self.words) - 1
        figures = {"window": config.window, "cells": cells, "words": size, "weight": weight}
        yield Note(said("glove.note", **figures))
        known = np.argsort(-self.counts[1:], kind="stable")[:MATRIX_WORDS] + 1
        names = [self.words[word] for word in known]
        values = [row_of(self.learned, word)[known].round(3).tolist() for word in known]
        yield Grid.of(said("glove.matrix"), names, names, values)

    def _word(self, word: int) -> Iterator[Part]:
        """Show the multiset of a word's context words."""
        plain, weighted = row_of(self.plain, word), row_of(self.weighted, word)
        shares = self.learned.shares(word)
        total = {"number": int(plain.sum()), "different": int((plain > 0).sum())}
        yield Note(said("glove.multiset", word=self.words[word], **total))
        order = np.argsort(-plain, kind="stable")[:MOST_CONTEXTS]
        rows = [
            (self.words[k], int(plain[k]), float(weighted[k]), float(shares[k]))
            for k in order.tolist()
            if plain[k] > 0
        ]
        columns = ("context_word", "times", "by_distance", "conditional")
        titles = said.columns(*columns, word=self.words[word])
        yield Table.of(said("glove.contexts", word=self.words[word]), titles, rows)

    def ratios(self, first: int, second: int) -> Shown:
        """Show the ratios of the conditional probabilities of two words over probe words."""
        a, b = self.learned.shares(first), self.learned.shares(second)
        probes = probe_words(a, b, np.flatnonzero((a > 0) & (b > 0)))
        rows = [(self.words[k], float(a[k]), float(b[k]), float(a[k] / b[k])) for k in probes]
        names = {"first": self.words[first], "second": self.words[second]}
        of_first, of_second = (f"P(k | {name})" for name in names.values())
        titles = [said("column.probe"), of_first, of_second, f"{of_first} / {of_second}"]
        table = Table.of(said("glove.ratio_table"), titles, rows)
        return Shown(
            said("glove.ratios", **names), (Note(said("glove.ratio_note", **names)), table)
        )

    def _pair(self, chosen: list[int]) -> tuple[int, int]:
        """Return the first word, and of the others one that has enough contexts in common."""
        order = np.argsort(-self.counts, kind="stable")[:FREQUENT].tolist()
        first, has = chosen[0], row_of(self.learned, chosen[0]) > 0
        for other in [*chosen[1:], *order]:
            common = has & (row_of(self.learned, other) > 0)
            if other not in (0, first) and common.sum() >= FEWEST:
                return first, other
        return first, chosen[1]

    def _weights(self, word: int) -> Iterator[Part]:
        """Show the weight function, and the loss of one cell with the first weights."""
        config = self.config
        yield Note(
            said("glove.weight_note", x_max=f"{config.x_max:g}", exponent=f"{config.exponent:g}")
        )
        counts = [share * config.x_max for share in SHARES]
        rows = [(float(count), self.weight(count)) for count in counts]
        columns = said.columns("cell", "weight")
        yield Table.of(said("glove.weight_table"), columns, rows)
        row = row_of(self.learned, word)
        context = int(row.argmax())
        score = float(self.weights.words[word] @ self.weights.contexts[context])  # biases are 0
        names = {"word": self.words[word], "context": self.words[context]}
        figures = {
            "count": f"{row[context]:.4g}",
            "log": f"{np.log(row[context]):.4f}",
            "score": f"{score:.4f}",
            "weight": f"{self.weight(float(row[context])):.4g}",
            "loss": f"{self.loss(word, context):.4g}",
        }
        yield Note(said("glove.loss", **names, **figures))

    def weight(self, count: float) -> float:
        """Return h of a count: (count / x_max) ** exponent, 1 at most."""
        return float(min(count / self.config.x_max, 1.0) ** self.config.exponent)

    def loss(self, word: int, context: int) -> float:
        """Return the loss of a cell with the first weights."""
        count = float(row_of(self.learned, word)[context])
        cell = (word, context, np.log(count), self.weight(count))
        return self.weights.loss(HeldOutCells(*(np.array([value]) for value in cell)))


def row_of(counted: Cooccurrence, word: int) -> Counts:
    """Return the counts of all words beside one, (V,)."""
    cells = slice(counted.row_starts[word], counted.row_starts[word + 1])
    row = np.zeros(counted.vocab_size)
    row[counted.columns[cells]] = counted.counts[cells]
    return row


def probe_words(first: Counts, second: Counts, among: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return words with the highest ratios, with ratios near 1, and with the lowest ones."""
    if len(among) <= PROBES:
        return among[np.argsort(-first[among] / second[among], kind="stable")]
    frequent = among[np.argsort(-(first[among] + second[among]), kind="stable")[: 4 * PROBES]]
    logs = np.log(first[frequent] / second[frequent])
    third = PROBES // 3
    high = np.argsort(-logs, kind="stable")[:third]
    low = np.argsort(logs, kind="stable")[:third]
    rest = np.setdiff1d(np.arange(len(frequent)), np.concatenate([high, low]))
    even = rest[np.argsort(np.abs(logs[rest]), kind="stable")[:third]]
    chosen = np.concatenate([high, even, low])
    probes: NDArray[np.int64] = frequent[chosen[np.argsort(-logs[chosen], kind="stable")]]
    return probes
