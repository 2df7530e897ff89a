"""fastText's walk in plain Python and numpy, float64, one pair at a time, a row for every sub-word.

It is the authors' program in small, but for the two sums a word's rows get with CBOW: see `cbow`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.kernels.word2vec_twin import Twin, sigmoid


@dataclass
class FastTextTwin:
    inputs: np.ndarray  # (U, D), a row for each word and each bucket
    outputs: np.ndarray  # (V, D)
    units: list[list[int]]  # rows of each word, one as often as its n-gram occurs
    draws: Twin  # for its random numbers alone
    cbow: bool = False

    def train(self, sentences: list[list[int]], start: float, end: float, seed: int) -> None:
        self.draws.counter = seed << 32
        total = sum(map(len, sentences))
        done = 0
        for sentence in sentences:
            self.rate = start + (end - start) * done / total
            words, spans = self.draws.kept(sentence)
            if len(words) > 1:
                (self.walk_cbow if self.cbow else self.walk_skipgram)(words, spans)
            done += len(sentence)

    def walk_skipgram(self, words: list[int], spans: list[int]) -> None:
        for i, span in enumerate(spans):
            for j in range(max(0, i - span), min(len(words), i + span + 1)):
                if j != i:
                    hidden = self.inputs[self.units[words[i]]].mean(axis=0)  # anew for every pair
                    back = self.predict(hidden, words[j])
                    np.add.at(self.inputs, self.units[words[i]], back)

    def walk_cbow(self, words: list[int], spans: list[int]) -> None:
        """A word's rows are summed when it comes within reach, and written when it has left."""
        n, window = len(words), self.draws.window
        sums: dict[int, np.ndarray] = {}
        owed: dict[int, np.ndarray] = {}
        for i, span in enumerate(spans):
            self.write(words, owed, i - window - 1)
            for j in range(i if i == 0 else i + window, min(n, i + window + 1)):
                sums[j] = self.inputs[self.units[words[j]]].sum(axis=0)
                owed[j] = np.zeros(self.inputs.shape[1])
            near = [j for j in range(max(0, i - span), min(n, i + span + 1)) if j != i]
            num_units = sum(len(self.units[words[j]]) for j in near)
            back = self.predict(sum(sums[j] for j in near) / num_units, words[i])
            for j in near:
                owed[j] += back
                times = np.unique(self.units[words[j]], return_counts=True)[1]
                sums[j] += (times**2).sum() * back  # a row that is there twice moves twice
        for j in range(max(0, n - 1 - window), n):
            self.write(words, owed, j)

    def write(self, words: list[int], owed: dict[int, np.ndarray], j: int) -> None:
        if j >= 0:
            np.add.at(self.inputs, self.units[words[j]], owed[j])

    def predict(self, hidden: np.ndarray, word: int) -> np.ndarray:
        """Move the word's outputs; return the step of the hidden vector."""
        rows, labels = self.draws.draw(word)
        error = (np.array(labels) - sigmoid(self.outputs[rows] @ hidden)) * self.rate
        back = np.zeros_like(hidden)
        for row, e in zip(rows, error, strict=True):
            back += e * self.outputs[row]
            self.outputs[row] += e * hidden
        return back
