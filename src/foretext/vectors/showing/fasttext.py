"""What fastText learns from: n-grams of words and their buckets, and windows as of word2vec."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from foretext.kernels.fasttext import Model, Scratch, Text
from foretext.shown import Note, Part, Shown, Table
from foretext.vectors.ngrams import CharacterNgrams, marked_bytes
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
from foretext.vectors.showing.walk import FastTextWalk, ReadSentence, Window

if TYPE_CHECKING:
    from foretext.vectors.fasttext import FastText, SubwordWeights

__all__ = ["FastTextExamples", "ngram_table"]

MOST_TOKENS = 1 << 16  # that are walked: each pair has noise words of its own
MOST_NGRAMS = 30  # of a word


@dataclass(frozen=True, eq=False)
class FastTextExamples:
    """What a model of fastText learns from, before its first step.

    Attributes:
        config: the user's settings.
        found: how often words are met.
        layer: what predictions are scored against.
        weights: of sub-words and outputs.
        text, model, scratch: of the kernel.
        slices: of the text.
    """

    config: FastText.Config
    found: Frequencies
    layer: OutputLayer
    weights: SubwordWeights
    text: Text
    model: Model
    scratch: Scratch
    slices: Slices

    def walk(self, most_tokens: int = MOST_TOKENS) -> FastTextWalk:
        """Return the first epoch of a training."""
        kernel = (self.text, self.model, self.scratch)
        return FastTextWalk(*kernel, self.slices, self.config.seed, most_tokens)

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
        yield from self._ngrams(window)
        yield window_lines(window, sentence, config.window, found)
        yield Note(said(f"fasttext.{config.model}_{config.loss}", negative=config.negative))
        if len(window.noise) > 1:
            yield pair_table(window, found)
        if config.loss == "ns":
            labels = group_labels(self.scratch.labels, self.model.groups)
            mark = "center" if self.model.cbow else "context"
            yield output_lines(self._predicted(window), window.noise[0], labels, found, mark)
        else:
            yield huffman_table(np.array([window.centre, *window.contexts]), self.layer, found)
        yield from loss_parts(self.prediction(window))

    def _predicted(self, window: Window) -> int:
        return window.centre if self.model.cbow else int(window.contexts[0])

    def _ngrams(self, window: Window) -> Iterator[Part]:
        """Show the n-grams of a word that the input is made of."""
        ngrams, is_cbow = self.weights.ngrams, self.model.cbow
        if ngrams.maxn == 0:
            yield Note(said("ngrams.none"))
            return
        sizes = {"minn": ngrams.minn, "maxn": ngrams.maxn, "bucket": ngrams.bucket}
        yield Note(said("ngrams.note", **sizes))
        words = window.contexts if is_cbow else np.array([window.centre])
        yield ngram_table(max(self.found.of(words), key=len), ngrams)

    def prediction(self, window: Window) -> Prediction:
        """Return the first prediction: of a context word, or with CBOW of the centre."""
        outputs = self.weights.outputs.reshape(-1, self.weights.stride)[:, : self.weights.dim]
        given = window.contexts if self.model.cbow else np.array([window.centre])
        units = self.weights.table.num_units[given - 1].sum()
        hidden = self.weights.sums()[given].sum(0) / np.float32(units)
        words = " ".join(self.found.of(given))
        predicted, loss = self._predicted(window), self.config.loss
        drawn = drawn_outputs(predicted, window.noise[0], loss, self.layer, self.found)
        name = said("input.units", words=words, units=int(units))
        return Prediction(name, hidden, outputs, *drawn, self.layer)


def ngram_table(word: str, ngrams: CharacterNgrams) -> Table:
    """Show the n-grams of a word, each with its length and its bucket."""
    text, starts = marked_bytes([word])
    _, buckets, spans = ngrams.hashed(text, starts)
    rows = []
    for (start, end), bucket in list(zip(spans, buckets, strict=True))[:MOST_NGRAMS]:
        part = text[start:end].tobytes().decode()
        rows.append((part, len(part), int(bucket)))
    rows.sort(key=lambda row: row[1])
    key = "ngrams.table" if len(buckets) <= MOST_NGRAMS else "ngrams.cut"
    title = said(key, word=word, marked=f"<{word}>", number=len(buckets), shown=len(rows))
    return Table.of(title, said.columns("ngram", "length", "bucket"), rows)
