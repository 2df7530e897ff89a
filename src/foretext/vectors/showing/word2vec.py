"""What word2vec learns from: words that sub-sampling leaves, windows, noise words or paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foretext.kernels.word2vec_arrays import Method, Scratch, Text
from foretext.shown import Note, Part, Shown
from foretext.vectors.output_layer import OutputLayer
from foretext.vectors.schedule import Slices
from foretext.vectors.showing.parts import (
    Frequencies,
    Prediction,
    best_seen,
    drawn_outputs,
    examples_shown,
    group_labels,
    huffman_table,
    loss_parts,
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
        parts = [tuple(self._example(each)) for each in walk.examples(number, seed)]
        return [vocabulary_shown(self.found, walk), *examples_shown(parts)]

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
            labels = group_labels(self.scratch.labels)
            yield output_lines(window.centre, window.noise[0], labels, found)
        if config.loss == "hs":
            yield huffman_table(np.array([window.centre, *window.contexts]), self.layer, found)
        yield from loss_parts(self.prediction(window), by_output=config.loss != "softmax")

    def _method(self) -> str:
        order = "_exact" if self.config.exact else ""
        return f"method.{self.config.model}_{self.config.loss}{order}"

    def prediction(self, window: Window) -> Prediction:
        """Return the first context word alone, or with CBOW all of them, against the outputs."""
        found, hidden = self.found, self.inputs[window.contexts]
        names = found.of(window.contexts)
        if self.config.model == "skipgram":
            name, combined = said("input.word", word=names[0]), hidden[0]
        else:
            key = "input.mean" if self.config.cbow_mean else "input.sum"
            name = said(key, words=" ".join(names))
            combined = hidden.mean(0) if self.config.cbow_mean else hidden.sum(0)
        drawn = drawn_outputs(window.centre, window.noise[0], self.config.loss, self.layer, found)
        return Prediction(name, combined, self.outputs, *drawn, self.layer)
