"""word2vec's walk in plain Python and numpy, float64, one window at a time: the kernel's twin.

It shares nothing with the kernel but the definition of the random draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

MASK = 2**64 - 1


def random64(counter: int) -> int:
    z = counter * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@dataclass
class Twin:
    inputs: np.ndarray  # (V, D)
    outputs: np.ndarray  # (V, D)
    keep: np.ndarray  # (V,) uint32
    window: int = 3
    negatives: int = 0
    noise: np.ndarray | None = None  # (V, 2) uint32
    paths: list[tuple[list[int], list[int]]] = field(default_factory=list)  # nodes, codes
    cbow: bool = False
    mean: bool = True
    divided: bool = False
    softmax: bool = False
    shared: bool = True
    outside: bool = False  # noise words are none of the window's

    def train(self, sentences: list[list[int]], start: float, end: float, seed: int) -> None:
        self.counter = seed << 32
        total = sum(map(len, sentences))
        done = 0
        for sentence in sentences:
            rate = start + (end - start) * done / total
            words, spans = self.kept(sentence)
            # The outputs of a position are drawn while the one before it is learned.
            windows = [
                [words[j] for j in range(max(0, i - span), min(len(words), i + span + 1)) if j != i]
                for i, span in enumerate(spans)
            ]
            outputs = None
            if self.shared:
                outputs = [
                    self.draw(word, tuple(contexts) if self.outside else ())
                    for word, contexts in zip(words, windows, strict=True)
                ]
            for i, contexts in enumerate(windows):
                if outputs is not None:
                    self.learn(words[i], contexts, *outputs[i], rate)
            done += len(sentence)

    def kept(self, sentence: list[int]) -> tuple[list[int], list[int]]:
        words, spans = [], []
        for position, word in enumerate(sentence):
            bits = random64(self.counter + position & MASK)
            if bits & 0xFFFFFFFF < self.keep[word]:
                words.append(word)
                spans.append(((bits >> 32) * self.window >> 32) + 1)
        self.counter += len(sentence)
        return words, spans

    def draw(self, centre: int, hidden: tuple[int, ...] = ()) -> tuple[list[int], list[float]]:
        """Output rows and labels of one centre; no noise word is one of `hidden`."""
        if self.softmax:
            return [], []
        if not self.negatives:
            nodes, codes = self.paths[centre]
            return list(nodes), [1.0 - code for code in codes]
        rows = [centre]
        tries = 0
        while len(rows) <= self.negatives:
            tries += 1
            self.counter += 1
            bits = random64(self.counter)
            word = (bits >> 32) * len(self.noise) >> 32
            if bits & 0xFFFFFFFF >= self.noise[word, 0]:
                word = int(self.noise[word, 1])
            if word != centre and (word not in hidden or tries >= 64):
                rows.append(word)
                tries = 0
        return rows, [1.0] + [0.0] * self.negatives

    def learn(
        self, centre: int, contexts: list[int], rows: list[int], labels: list[float], rate: float
    ) -> None:
        if not contexts:
            return
        if self.cbow:
            scale = 1 / len(contexts) if self.mean else 1.0
            hidden = self.inputs[contexts].sum(axis=0) * scale
            back = self.step(hidden, centre, rows, labels, rate)
            share = 1 / len(contexts) if self.mean and self.divided else 1.0
            for context in contexts:
                self.inputs[context] += back * share
        elif self.softmax:
            for context in contexts:
                back = self.step(self.inputs[context].copy(), centre, rows, labels, rate)
                self.inputs[context] += back
        else:
            self.learn_pairs(contexts, rows, labels, rate)

    def learn_pairs(
        self, contexts: list[int], rows: list[int], labels: list[float], rate: float
    ) -> None:
        """All scores of a window come before its updates; outputs are updated six at a time."""
        scores = self.inputs[contexts] @ self.outputs[rows].T
        gradient = (np.array(labels) - sigmoid(scores)) * rate  # (C, N)
        delta = np.zeros((len(contexts), self.inputs.shape[1]))
        for first in range(0, len(rows), 6):
            group = rows[first : first + 6]
            before = self.outputs[group].copy()
            moved = np.zeros_like(before)
            for a, context in enumerate(contexts):
                part = gradient[a, first : first + 6]
                moved += part[:, None] * self.inputs[context]
                delta[a] += part @ before
                if first + 6 >= len(rows):
                    self.inputs[context] += delta[a]
            for row, old, change in zip(group, before, moved, strict=True):
                self.outputs[row] = old + change  # a row that is there twice counts once

    def step(
        self,
        hidden: np.ndarray,
        centre: int,
        rows: list[int],
        labels: list[float],
        rate: float,
    ) -> np.ndarray:
        """Move the outputs towards their labels; return the step of the hidden vector."""
        if self.softmax:
            scores = self.outputs[1:] @ hidden
            chance = np.exp(scores - scores.max())
            error = -chance / chance.sum()
            error[centre - 1] += 1
            back = rate * error @ self.outputs[1:]
            self.outputs[1:] += rate * error[:, None] * hidden
            return back
        back = np.zeros_like(hidden)
        error = (np.array(labels) - sigmoid(self.outputs[rows] @ hidden)) * rate
        for row, e in zip(rows, error, strict=True):
            back += e * self.outputs[row]
            self.outputs[row] += e * hidden
        return back
