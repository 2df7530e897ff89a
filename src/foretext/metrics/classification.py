"""Accuracy, F1 and confusions, for one label a text or several.

A share without a denominator, such as the precision of a label that is never predicted, is 0, as
in scikit-learn with ``zero_division=0``; means over labels take all that occur on either side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ClassificationScores",
    "LabelScore",
    "classification_scores",
    "confusion_matrix",
    "label_scores",
    "multi_label_scores",
    "share",
]


class LabelScore(NamedTuple):
    """Figures of one label, from 0 to 1."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int  # how often it is right


@dataclass(frozen=True)
class ClassificationScores:
    """The usual figures, shares from 0 to 1."""

    accuracy: float  # of several labels a text: all of them right, and no other
    macro_f1: float  # mean over labels
    micro_f1: float  # of all decisions together; with one label a text this is the accuracy
    weighted_f1: float  # mean over labels, weighted by support
    per_label: tuple[LabelScore, ...]  # sorted by label

    def figures(self) -> dict[str, float]:
        """Return the figures without the table."""
        return {
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "micro_f1": self.micro_f1,
            "weighted_f1": self.weighted_f1,
        }


def classification_scores(gold: Sequence[str], predicted: Sequence[str]) -> ClassificationScores:
    """Compare one label a text with one label a text.

    Raises:
        ValueError: there is none, or not as many on either side.
    """
    return multi_label_scores([(label,) for label in gold], [(label,) for label in predicted])


def multi_label_scores(
    gold: Sequence[Collection[str]], predicted: Sequence[Collection[str]]
) -> ClassificationScores:
    """Compare sets of labels, one a text; a set may be empty.

    Raises:
        ValueError: there is no text, or not as many on either side.
    """
    _check_lengths(gold, predicted)
    pairs = [(set(right), set(given)) for right, given in zip(gold, predicted, strict=True)]
    labels = sorted(set[str]().union(*(right | given for right, given in pairs)))
    hits = _counts(labels, (right & given for right, given in pairs))
    supports = _counts(labels, (right for right, _ in pairs))
    chosen = _counts(labels, (given for _, given in pairs))
    table = label_scores(labels, hits, supports, chosen)
    f1 = np.array([row.f1 for row in table])
    return ClassificationScores(
        accuracy=sum(right == given for right, given in pairs) / len(pairs),
        macro_f1=share(f1.sum(), len(table)),
        micro_f1=share(2 * hits.sum(), supports.sum() + chosen.sum()),
        weighted_f1=share(float(f1 @ supports), supports.sum()),
        per_label=table,
    )


def confusion_matrix(
    gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str]
) -> NDArray[np.int64]:
    """Return (C, C), how often the label of the row is answered with the label of the column.

    Raises:
        ValueError: not as many on either side, or a label that is not among `labels`.
    """
    _check_lengths(gold, predicted)
    index = {label: number for number, label in enumerate(labels)}
    if unknown := {*gold, *predicted} - set(index):
        raise ValueError(f"labels that the matrix does not have: {sorted(unknown)}")
    matrix = np.zeros((len(index), len(index)), np.int64)
    rows, columns = ([index[label] for label in side] for side in (gold, predicted))
    np.add.at(matrix, (rows, columns), 1)
    return matrix


def label_scores(
    labels: Sequence[str],
    hits: NDArray[np.int64],
    supports: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> tuple[LabelScore, ...]:
    """Return the table of labels from (C,) counts: right and given, right, given."""
    return tuple(
        LabelScore(
            label,
            precision=share(hit, given),
            recall=share(hit, support),
            f1=share(2 * hit, support + given),
            support=int(support),
        )
        for label, hit, support, given in zip(labels, hits, supports, chosen, strict=True)
    )


def share(part: float, whole: float) -> float:
    """Return part / whole, 0 where there is no whole."""
    return float(part / whole) if whole else 0.0


def _counts(labels: list[str], sets: Iterable[set[str]]) -> NDArray[np.int64]:
    """Return the number of sets with each label, (C,)."""
    counts = Counter(chain.from_iterable(sets))
    return np.array([counts[label] for label in labels], np.int64)


def _check_lengths(gold: Sequence[object], predicted: Sequence[object]) -> None:
    if not gold or len(gold) != len(predicted):
        raise ValueError(f"one answer a text, of one text or more: {len(gold), len(predicted)}")
