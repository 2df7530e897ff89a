"""What the head of a classifier reads of the words of texts, and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import LabelledText
from foretext.data.sparse_rows import SparseRows
from foretext.heads.word_logits import WordLogits
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_storage import LinearParts
from foretext.tasks.classification.linear_words import WordVocabulary
from foretext.tasks.classification.words import LearnedWords
from foretext.tasks.explanation import Weighed, WeighRequest

__all__ = ["ReadWords", "WordReader"]


class ReadWords(NamedTuple):
    """What `PaddedExamples` gets of the words of its rows; nothing where the head reads none."""

    words: SparseRows | None = None
    word_logits: NDArray[np.float32] | None = None  # (rows, C)

    def of_rows(self, owners: NDArray[np.int64]) -> ReadWords:
        """Return the same of rows, from that of the texts that they are windows of."""
        if self.word_logits is not None:
            return ReadWords(word_logits=self.word_logits[owners])
        return ReadWords(None if self.words is None else self.words.taken(owners))


class WordReader:
    """Finds the features of texts.

    Args:
        vocabulary: of the features.
        head: that weighs them.
        learned: what is known of the rows that are learned from; None: nothing is learned any more.
    """

    def __init__(
        self, vocabulary: WordVocabulary, head: WordLogits, learned: LearnedWords | None = None
    ) -> None:
        self.vocabulary, self.head, self.learned = vocabulary, head, learned

    def read(self, texts: Sequence[str]) -> ReadWords:
        """Return the features of texts."""
        return ReadWords(self.vocabulary.rows(texts))

    def read_rows(self, rows: Sequence[LabelledText]) -> ReadWords:
        """Return the logits of rows: of those to learn from by what has not learned from them."""
        known = {} if self.learned is None else self.learned.logits_of(rows)
        if not known:
            return self.read([row.text for row in rows])
        others = [place for place in range(len(rows)) if place not in known]
        found = np.zeros((len(rows), len(self.head.bias)), np.float32)
        found[list(known)] = np.stack(list(known.values()))
        if others:
            found[others] = self.logits([rows[place].text for place in others])
        return ReadWords(word_logits=found)

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the logits (N, C) of texts, before they are scaled."""
        from scipy.sparse import csr_matrix

        columns, values, starts = self.vocabulary.rows(texts)
        weight, bias = self._weights()
        matrix = csr_matrix((values, columns, starts), shape=(len(texts), len(weight)))
        found: NDArray[np.float32] = np.asarray(matrix @ weight, np.float32) + bias
        return found

    def weighed(
        self,
        network: Sequence[Weighed],
        request: WeighRequest,
        labels: Sequence[str],
        temperature: float,
        *,
        is_multi_label: bool,
    ) -> list[Weighed]:
        """Return the words as the features weigh them too, exactly.

        Args:
            network: what the words add to the states; what they add as features is in its base.
            request: texts and words.
            labels: C.
            temperature: that logits are divided by.
            is_multi_label: whether a text may have any number of labels.
        """
        parts, rate = self.vocabulary, float(self.head.scale.detach()) / temperature
        weight, bias = (rate * each for each in self._weights())
        linear = LinearClassifier.of_parts(
            LinearParts(
                parts.config, labels, parts.features, parts.idf,
                weight, bias, is_multi_label, parts.form,
            )
        )  # fmt: skip
        found = []
        for each, texts, places in zip(network, request.inputs, request.places, strict=True):
            [own] = linear.weigh(WeighRequest([texts], [places], each.label), "linear")
            moved = own.value - own.base
            found.append(each._replace(base=each.base - moved, weights=each.weights + own.weights))
        return found

    def _weights(self) -> tuple[Any, Any]:
        """Return (V, C) and (C,) of the head."""
        both = (self.head.weight, self.head.bias)
        weight, bias = (each.detach().float().cpu().numpy() for each in both)
        return weight, bias
