"""What a linear classifier says of the rows that a network learns from, without having seen them.

A regression on many rare words knows the label of nearly every row that it has learned from: on the
rows of R8 it is right in 0.999, on others in 0.96. So each row gets the logits of a regression that
has learned from other rows: cross-fitting, as in stacking (Wolpert 1992, "Stacked generalization").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import Form
from foretext.data.rows import LabelledText
from foretext.tasks.classification.linear import LinearClassifier
from foretext.tasks.classification.linear_words import WordVocabulary

__all__ = ["FOLDS", "LearnedWords", "cross_fitted", "learned_linear", "learned_words"]

FOLDS = 5
FOLD_SEED = 20_160_624

Rows = Sequence[LabelledText]
Logits = NDArray[np.float32]


@dataclass(frozen=True)
class LearnedWords:
    """A linear classifier, and what others like it say of its rows.

    Attributes:
        linear: that has learned from all rows.
        labels: C, in the order of the network.
        rows: N that it has learned from.
        logits: (N, C) of each by a classifier that has not seen it.
    """

    linear: LinearClassifier
    labels: Sequence[str]
    rows: Rows = field(repr=False)
    logits: Logits = field(repr=False)

    def composing(self, form: Form) -> LearnedWords:
        """Return the same for texts in any form, which are brought into that of the rows."""
        return replace(self, linear=self.linear.composing(form))

    @cached_property
    def vocabulary(self) -> WordVocabulary:
        """The features, without what they weigh."""
        parts = self.linear.parts
        return WordVocabulary(parts.config, parts.features, parts.idf, parts.form)

    @cached_property
    def weights(self) -> tuple[Logits, Logits]:
        """What features weigh, (V, C), and what is added, (C,)."""
        both = np.concatenate([self.linear.weights, self.linear.bias[None]])  # (V + 1, C)
        whole = _in_order(_of_both(both, self.linear), self.linear, self.labels).astype(np.float32)
        return whole[:-1], whole[-1]

    def logits_of(self, rows: Rows) -> dict[int, Logits]:
        """Return the logits (C,) of those of some rows that were learned from, by their places."""
        known = self._places
        return {n: self.logits[known[row]] for n, row in enumerate(rows) if row in known}

    @cached_property
    def _places(self) -> dict[LabelledText, int]:
        return {row: place for place, row in enumerate(self.rows)}


def learned_words(
    rows: Rows,
    labels: Sequence[str],
    folds: int = FOLDS,
    linear: LinearClassifier | None = None,
) -> LearnedWords:
    """Learn from rows.

    Args:
        rows: N to learn from.
        labels: C, in the order of the network.
        folds: parts of the rows; what has learned from the others answers each.
        linear: that has learned from all rows; None: it is learned here.

    Raises:
        CorpusError: nothing can be learned from the rows.
    """
    linear = linear or learned_linear(rows)
    return LearnedWords(linear, labels, rows, cross_fitted(rows, labels, linear, folds))


def cross_fitted(
    rows: Rows, labels: Sequence[str], linear: LinearClassifier, folds: int = FOLDS
) -> Logits:
    """Return (N, C) of rows, each by a classifier that has learned from the other parts.

    Args:
        rows: N to learn from, with labels; those of equal texts are in one part.
        labels: C.
        linear: that has learned from all, and answers where the other parts teach nothing.
        folds: parts.
    """
    part = _parts(rows, folds)
    found = np.zeros((len(rows), len(labels)), np.float32)
    for number in np.unique(part).tolist():
        inside = np.flatnonzero(part == number)
        others = [row for row, own in zip(rows, part.tolist(), strict=True) if own != number]
        try:
            classifier = learned_linear(others)
        except CorpusError:  # the other parts may have one label alone
            classifier = linear
        if classifier.is_multi_label != linear.is_multi_label:
            classifier = linear
        texts = [rows[place].text for place in inside.tolist()]
        found[inside] = _in_order(classifier.logits(texts), classifier, labels)
    return found


def _parts(rows: Rows, folds: int) -> NDArray[np.int64]:
    """Return the part of each row, (N,): a text that is there twice is not known to the others."""
    places: dict[str, int] = {}
    texts = np.array([places.setdefault(row.text, len(places)) for row in rows], np.int64)
    parts: NDArray[np.int64] = np.random.default_rng(FOLD_SEED).permutation(len(places)) % folds
    return parts[texts]


def learned_linear(rows: Rows) -> LinearClassifier:
    """Return the linear classifier that learns from rows.

    Raises:
        CorpusError: nothing can be learned from them.
    """
    return LinearClassifier().fit([row.text for row in rows], [row.labels for row in rows])


def _of_both(columns: Any, linear: LinearClassifier) -> Any:
    """Return a column for each of two labels, where one is for both."""
    return columns if columns.shape[1] == linear.num_labels else np.insert(columns, 0, 0.0, axis=1)


def _in_order(columns: Any, linear: LinearClassifier, labels: Sequence[str]) -> Any:
    """Return columns of labels in another order; one that was not learned is as the least one."""
    places = {label: place for place, label in enumerate(labels)}
    found = np.repeat(columns.min(1, keepdims=True), len(labels), axis=1)
    found[:, [places[label] for label in linear.label_names]] = columns
    return found
