"""What a pretrained model has to beat: answers that are learned in seconds, without a network.

Texts: the most frequent label (`foretext.classifiers.linear` reads their words). Tags: the most
frequent one of each word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from foretext.errors import CorpusError

__all__ = ["MajorityBaseline", "WordTagBaseline"]

Labels = Sequence[str] | Sequence[Sequence[str]]  # one a text, or any number
Answers = list[str] | list[tuple[str, ...]]
Probabilities = NDArray[np.float64]


class MajorityBaseline:
    """The most frequent label, whatever the text; of equals the first in the alphabet."""

    def fit(self, texts: Sequence[str], labels: Labels) -> Self:
        """Count labels.

        Raises:
            CorpusError: there is none.
        """
        sets = _label_sets(texts, labels)
        self.is_multi_label = any(len(labels) != 1 for labels in sets)
        self.classes_ = tuple(sorted({label for labels in sets for label in labels}))
        counts = Counter(label for labels in sets for label in labels)
        self._rates = np.array([counts[label] / len(sets) for label in self.classes_])
        self._answer = min(Counter(sets).items(), key=lambda item: (-item[1], item[0]))[0]
        return self

    def predict(self, texts: Sequence[str]) -> Answers:
        """Return the same label, or set of labels, for every text."""
        return _answers([self._answer] * len(texts), self.is_multi_label)

    def predict_proba(self, texts: Sequence[str]) -> Probabilities:
        """(N, C) share of the training texts that have each label, by the order of `classes_`."""
        return np.tile(self._rates, (len(texts), 1))


class WordTagBaseline:
    """The tag that each word had most often; unknown words get the most frequent tag of all.

    Attributes:
        classes_: (C,) tags, sorted, after `fit`.
    """

    def fit(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Self:
        """Count the tags of words.

        Raises:
            CorpusError: there is no token.
        """
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for tokens, own in zip(sentences, tags, strict=True):
            for token, tag in zip(tokens, own, strict=True):
                counts[token][tag] += 1
        total = sum(counts.values(), Counter[str]())
        if not total:
            raise CorpusError("There is no tagged token; give sentences with tags.")
        self.classes_ = tuple(sorted(total))
        self._rates = {token: self._shares(tags) for token, tags in counts.items()}
        self._unknown = self._shares(total)
        return self

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return a tag a token; of equals the first in the alphabet."""
        return [
            [self.classes_[best] for best in shares.argmax(axis=1)]
            for shares in self.predict_proba(sentences)
        ]

    def predict_proba(self, sentences: Sequence[Sequence[str]]) -> list[Probabilities]:
        """Return (T, C) a sentence: how often the word had each tag, as a share."""
        empty = np.zeros((0, len(self.classes_)))
        return [
            np.array([self._rates.get(token, self._unknown) for token in tokens])
            if tokens
            else empty
            for tokens in sentences
        ]

    def _shares(self, counts: Counter[str]) -> NDArray[np.float64]:
        return np.array([counts[tag] for tag in self.classes_]) / counts.total()


def _label_sets(texts: Sequence[str], labels: Labels) -> list[tuple[str, ...]]:
    """Return the labels of each text, sorted; one as several."""
    sets = [(each,) if isinstance(each, str) else tuple(sorted(each)) for each in labels]
    assert len(sets) == len(texts), f"{len(sets)} labels of {len(texts)} texts"
    if not sets:
        raise CorpusError("There is no text to learn from; give texts with labels.")
    return sets


def _answers(sets: list[tuple[str, ...]], is_multi_label: bool) -> Answers:
    return sets if is_multi_label else [label for (label,) in sets]
