"""The most frequent label, whatever the text: what every classifier should beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from foretext.errors import CorpusError

__all__ = ["MajorityBaseline"]

Labels = Sequence[str] | Sequence[Sequence[str]]  # one a text, or any number


class MajorityBaseline:
    """The same answer to every text; the first in the alphabet of equally frequent ones.

    Attributes:
        classes_: (C,) labels, sorted, after `fit`.
        is_multi_label: whether texts may have any number of labels, after `fit`.
    """

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

    def predict(self, texts: Sequence[str]) -> list[str] | list[tuple[str, ...]]:
        """Return the same label, or set of labels, for every text."""
        if self.is_multi_label:
            return [self._answer] * len(texts)
        return list(self._answer) * len(texts)

    def predict_proba(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return (N, C), the share of the training texts with each of `classes_`."""
        return np.tile(self._rates, (len(texts), 1))


def _label_sets(texts: Sequence[str], labels: Labels) -> list[tuple[str, ...]]:
    """Return the labels of each text, sorted; a single one as a set."""
    sets = [(each,) if isinstance(each, str) else tuple(sorted(each)) for each in labels]
    assert len(sets) == len(texts), f"{len(sets)} labels of {len(texts)} texts"
    if not sets:
        raise CorpusError("There is no text to learn from; give texts with labels.")
    return sets
