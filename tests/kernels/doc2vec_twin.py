"""doc2vec's walk in plain Python and numpy, float64: the twin of the kernels.

It shares nothing with the kernels but the definition of the random draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.kernels.word2vec_twin import MASK, Twin, random64


@dataclass
class DocumentTwin(Twin):
    """`inputs` has the words, if they have vectors, and then the documents."""

    words: bool = False  # whether words have vectors
    concatenated: bool = False
    held: frozenset[int] = frozenset()  # positions of the text that are left out
    frozen: bool = False  # words and outputs stay as they are

    def train_documents(
        self, pieces: list[list[int]], rows: list[int], start: float, end: float, seed: int
    ) -> None:
        self.counter = seed << 32
        total, done = sum(map(len, pieces)), 0
        for piece, row in zip(pieces, rows, strict=True):
            self.walk(piece, row, start + (end - start) * done / total, done)
            done += len(piece)

    def infer(
        self, piece: list[int], row: int, epochs: int, start: float, end: float, seed: int
    ) -> None:
        self.frozen = True
        self.counter = seed << 32
        for epoch in range(epochs):
            self.walk(piece, row, start + (end - start) * epoch / epochs, 0)

    def walk(self, piece: list[int], row: int, rate: float, first: int) -> None:
        words, spans = self.kept_of(piece, first)
        outputs = [self.draw(word) for word in words]
        for i, span in enumerate(spans):
            self.learn_position(words, i, span, row, outputs[i], rate)

    def kept_of(self, piece: list[int], first: int) -> tuple[list[int], list[int]]:
        words, spans = [], []
        for position, word in enumerate(piece):
            bits = random64(self.counter + position & MASK)
            if bits & 0xFFFFFFFF < self.keep[word] and first + position not in self.held:
                words.append(word)
                spans.append(((bits >> 32) * self.window >> 32) + 1)
        self.counter += len(piece)
        return words, spans

    def learn_position(
        self,
        words: list[int],
        i: int,
        span: int,
        row: int,
        outputs: tuple[list[int], list[float]],
        rate: float,
    ) -> None:
        if self.concatenated:
            places = [j for j in range(i - self.window, i + self.window + 1) if j != i]
            around = [words[j] if 0 <= j < len(words) else 0 for j in places]
            self.learn_side_by_side([row, *around], *outputs, rate)
            return
        around = []
        if self.words and (self.cbow or not self.frozen):
            near = range(max(0, i - span), min(len(words), i + span + 1))
            around = [words[j] for j in near if j != i]
        contexts = [*around, row]
        if self.words and not self.cbow and not self.frozen:
            if self.shared:
                self.learn(words[i], contexts, *outputs, rate)
                return
            for number, context in enumerate(contexts):
                drawn = self.draw(words[i]) if number else outputs
                self.learn(words[i], [context], *drawn, rate)
            return
        scale = 1 / len(contexts) if self.mean else 1.0
        back = self.step(self.inputs[contexts].sum(axis=0) * scale, words[i], *outputs, rate)
        for context in [row] if self.frozen else contexts:
            self.inputs[context] += back

    def learn_side_by_side(
        self, contexts: list[int], rows: list[int], labels: list[float], rate: float
    ) -> None:
        size = self.inputs.shape[1]
        back = self.step(self.inputs[contexts].ravel(), 0, rows, labels, rate)
        for place, context in enumerate(contexts):
            if place == 0 or not self.frozen:
                self.inputs[context] += back[place * size : (place + 1) * size]

    def step(
        self,
        hidden: np.ndarray,
        centre: int,
        rows: list[int],
        labels: list[float],
        rate: float,
    ) -> np.ndarray:
        before = self.outputs.copy() if self.frozen else None
        back = super().step(hidden, centre, rows, labels, rate)
        if before is not None:
            error = (np.array(labels) - 1 / (1 + np.exp(-before[rows] @ hidden))) * rate
            self.outputs[:] = before
            return error @ before[rows]
        return back
