"""What word2vec learns from: words that sub-sampling leaves, windows, noise words or paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.sigmoid import GROUP
from foretext.kernels.simd import LANES
from foretext.kernels.word2vec_arrays import Method, Scratch, Text
from foretext.shown import Note, Part, Shown
from foretext.vectors.output_layer import OutputLayer
from foretext.vectors.schedule import Slices
from foretext.vectors.showing.parts import (
    Frequencies,
    Prediction,
    best_seen,
    huffman_table,
    loss_parts,
    no_windows,
    node_names,
    output_lines,
    pair_table,
    said,
    sentence_lines,
    vocabulary_shown,
    window_lines,
    windows_table,
)
from foretext.vectors.showing.walk import ReadSentence, Window, Word2VecWalk

if TYPE_CHECKING:
    from foretext.vectors.word2vec import Word2Vec

__all__ = ["Word2VecExamples"]

MOST_TOKENS = 1 << 21  # that are walked, to count what sub-sampling leaves


@dataclass(frozen=True, eq=False)
class Word2VecExamples:
    """What a model of word2vec learns from, before its first step.

    Attributes:
        config: the user's settings.
        found: how often words are met.
        layer: what predictions are scored against.
        text, method, scratch: of the kernel.
        slices: of the text.
        inputs: (V, D).
        outputs: (rows, D).
    """

    config: Word2Vec.Config
    found: Frequencies
    layer: OutputLayer
    text: Text
    method: Method
    scratch: Scratch
    slices: Slices
    inputs: NDArray[np.float32]
    outputs: NDArray[np.float32]

    def walk(self, most_tokens: int = MOST_TOKENS) -> Word2VecWalk:
        """Return the first epoch of a training."""
        kernel = (self.text, self.layer.targets, self.method, self.scratch)
        return Word2VecWalk(*kernel, self.slices, self.config.seed, most_tokens)

    def shown(self, number: int, seed: int) -> list[Shown]:
        """Show the vocabulary, and so many sentences of the first epoch with their windows."""
        walk = self.walk()
        examples = walk.examples(number, seed)
        parts = [tuple(self._example(sentence)) for sentence in examples] or [(no_windows(),)]
        return [
            vocabulary_shown(self.found, walk),
            *(Shown(said("example.title", number=at + 1), of) for at, of in enumerate(parts)),
        ]

    def _example(self, sentence: ReadSentence) -> Iterator[Part]:
        config, found = self.config, self.found
        window = best_seen(sentence.windows)
        yield sentence_lines(sentence, found)
        yield windows_table(sentence.windows, found)
        yield window_lines(window, sentence, config.window, found)
        if len(window.noise) > 1:
            yield pair_table(window, found)
        yield Note(said(self._method(), negative=config.negative))
        if config.loss == "ns":
            labels = self.scratch.labels.reshape(-1, LANES)[:, :GROUP].ravel()
            yield output_lines(window.centre, window.noise[0], labels, found)
        if config.loss == "hs":
            yield huffman_table(np.array([window.centre, *window.contexts]), self.layer, found)
        yield from loss_parts(self.prediction(window), by_output=config.loss != "softmax")

    def _method(self) -> str:
        order = "_exact" if self.config.exact else ""
        return f"method.{self.config.model}_{self.config.loss}{order}"

    def prediction(self, window: Window) -> Prediction:
        """Return the first context word alone, or with CBOW all of them, against the outputs."""
        hidden = self.inputs[window.contexts]
        names = self.found.of(window.contexts)
        if self.config.model == "skipgram":
            name, combined = said("input.word", word=names[0]), hidden[0]
        else:
            key = "input.mean" if self.config.cbow_mean else "input.sum"
            name = said(key, words=" ".join(names))
            combined = hidden.mean(0) if self.config.cbow_mean else hidden.sum(0)
        return Prediction(name, combined, self.outputs, *self._outputs(window), self.layer)

    def _outputs(self, window: Window) -> tuple[NDArray[np.int64], NDArray[np.bool_], list[str]]:
        if self.config.loss == "ns":
            rows = np.array([window.centre, *window.noise[0]])
            return rows, np.arange(len(rows)) == 0, self.found.of(rows)
        drawn, labels = self.layer.draw(np.array([window.centre]), 0)  # nothing is random
        if self.config.loss == "softmax":
            return drawn[0], labels[0], list(self.found.words[1:])
        return drawn[0], labels[0], node_names(drawn[0], self.layer)
