"""What doc2vec learns from: a document is one more context word of each of its windows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from foretext.kernels.doc2vec import Documents, Reading, kept_words, places_of
from foretext.kernels.word2vec_arrays import Method, Scratch, Targets
from foretext.shown import Note, Part, Shown, Table
from foretext.vectors.schedule import Slices
from foretext.vectors.showing.parts import (
    MOST_WINDOWS,
    Frequencies,
    Prediction,
    drawn_outputs,
    group_labels,
    huffman_table,
    loss_parts,
    no_windows,
    output_lines,
    said,
    sentence_lines,
    vocabulary_shown,
)
from foretext.vectors.showing.walk import Ids, ReadSentence, Window, Word2VecWalk

if TYPE_CHECKING:
    from foretext.vectors.doc2vec import DocumentNetwork

__all__ = ["DocumentExamples", "DocumentWalk"]

MOST_TOKENS = 1 << 18  # that are walked, to count what sub-sampling leaves


class DocumentWalk(Word2VecWalk):
    """doc2vec's walk: `foretext.kernels.doc2vec.train_documents` without the learning.

    The contexts of a window are words alone; the document is one more.
    """

    fewest = 1  # words of a document that is learned

    def __init__(
        self,
        documents: Documents,
        targets: Targets,
        method: Method,
        reading: Reading,
        scratch: Scratch,
        slices: Slices,
        seed: int,
        most_tokens: int,
    ) -> None:
        self.documents, self.reading = documents, reading
        super().__init__(documents, targets, method, scratch, slices, seed, most_tokens)

    def row(self, number: int) -> int:
        """Return the input row of the document that a piece belongs to."""
        return int(self.documents.rows[number])

    def _span(self, number: int) -> tuple[int, int]:
        start, end = self.documents.starts[number : number + 2].tolist()
        return start, end

    def _keep(self, start: int, end: int, counter: int) -> int:
        room, window = self.scratch, self.method.window
        number = np.uint64(counter)
        given = (self.documents, start, end, window, number, room.words, room.spans)
        return int(kept_words(*given))

    def _around(self, size: int, at: int) -> Ids | None:
        """Return the words that predict the one at a position, beside the document."""
        if not self.reading.words:
            return np.zeros(0, np.int64)
        if self.reading.concatenated:
            room = self.scratch
            number = places_of(room.words, size, at, self.method.window, 0, room.contexts)
            words: Ids = room.contexts[1:number]
            return words.copy()
        found = super()._around(size, at)
        return np.zeros(0, np.int64) if found is None else found

    def _num_pairs(self, contexts: Ids) -> int:
        return len(contexts) + 1


@dataclass(frozen=True, eq=False)
class DocumentExamples:
    """What a model of doc2vec learns from, before its first step.

    Attributes:
        network: inputs and outputs.
        found: how often words are met.
        documents: as the kernel reads them.
        scratch: of the kernel.
        slices: of the text.
    """

    network: DocumentNetwork
    found: Frequencies
    documents: Documents
    scratch: Scratch
    slices: Slices

    def walk(self, most_tokens: int = MOST_TOKENS) -> DocumentWalk:
        """Return the first epoch of a training."""
        _, targets, method, reading = self.network.arguments
        kernel = (self.documents, targets, method, reading, self.scratch)
        return DocumentWalk(*kernel, self.slices, self.network.config.seed, most_tokens)

    def shown(self, number: int, seed: int) -> list[Shown]:
        """Show the vocabulary, and so many documents with what predicts their words."""
        walk = self.walk()
        parts = [
            (self._name(walk, at), tuple(self._example(walk, at)))
            for at in walk.chosen(number, seed)
        ] or [(said("windows.title"), (no_windows(),))]
        return [vocabulary_shown(self.found, walk), *(Shown(*of) for of in parts)]

    def _name(self, walk: DocumentWalk, number: int) -> str:
        at = walk.row(number) - self.network.first_document + 1
        return said("document.name", number=at)

    def _example(self, walk: DocumentWalk, number: int) -> Iterator[Part]:
        sentence, config, found = walk.sentence(number), self.network.config, self.found
        window = max(sentence.windows[:MOST_WINDOWS], key=lambda window: len(window.contexts))
        yield sentence_lines(sentence, found)
        yield Note(said(f"document.{self._method()}_{config.loss}", negative=config.negative))
        yield self._table(sentence, self._name(walk, number))
        if config.loss == "ns":
            labels = group_labels(self.scratch.labels)
            yield output_lines(window.centre, window.noise[0], labels, found)
        else:
            yield huffman_table(np.array([window.centre]), self.network.layer, found)
        yield from loss_parts(self.prediction(window, walk.row(number)))

    def _method(self) -> str:
        config = self.network.config
        if config.model == "dbow":
            return "dbow_words" if config.dbow_words else "dbow"
        return "concat" if config.is_concatenated else "dm"

    def _table(self, sentence: ReadSentence, name: str) -> Table:
        """Show what predicts each word: the document, and words around it."""
        has_noise = self.network.config.loss == "ns"
        rows = []
        for window in sentence.windows[:MOST_WINDOWS]:
            given = " + ".join([name, *self._words(window)])
            noise = [" ".join(self.found.of(window.noise[0]))] if has_noise else []
            rows.append([self.found.words[window.centre], given, *noise])
        columns = ["predicted", "given", *(["noise_words"] if has_noise else [])]
        return Table.of(said("document.table"), said.columns(*columns), rows)

    def _words(self, window: Window) -> list[str]:
        """Return the words of a window; with concatenation a position may be empty."""
        empty = said("document.empty")
        return [self.found.words[word] if word else empty for word in window.contexts]

    def prediction(self, window: Window, row: int) -> Prediction:
        """Return the document's prediction of a word: alone, or with the words of the window."""
        network, config = self.network, self.network.config
        name = said("document.name", number=row - network.first_document + 1)
        vectors = network.input_rows[[row, *window.contexts]]  # (1 + C, D)
        if config.model == "dbow":
            hidden = vectors[0]
        else:
            name = " + ".join([name, *self._words(window)])
            combined = {"mean": vectors.mean(0), "sum": vectors.sum(0), "concat": vectors.ravel()}
            hidden = combined[config.context]
        outputs = network.output_rows.reshape(len(network.counts), -1)
        noise, loss = window.noise[0], config.loss
        drawn = drawn_outputs(window.centre, noise, loss, network.layer, self.found)
        return Prediction(name, hidden, outputs, *drawn, network.layer)
