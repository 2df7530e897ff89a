"""Labels of texts as numbers, the most frequent first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows.label import Label, of_one_type

__all__ = ["LabelTable", "NumberedLabels", "number_labels"]


class NumberedLabels(NamedTuple):
    """The labels of N texts; text i has ``ids[starts[i] : starts[i + 1]]``."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]  # (N + 1,)

    def taken(self, order: NDArray[np.int64]) -> NumberedLabels:
        """Return the labels of the texts in another order."""
        lengths = np.diff(self.starts)[order]
        starts = np.insert(np.cumsum(lengths), 0, 0)
        places = np.repeat(self.starts[order] - starts[:-1], lengths) + np.arange(starts[-1])
        return NumberedLabels(self.ids[places], starts)

    def matrix(self, num_labels: int) -> NDArray[np.bool_]:
        """Return (N, L), True where a text has a label."""
        wanted = np.zeros((len(self.starts) - 1, num_labels), bool)
        wanted[np.repeat(np.arange(len(wanted)), np.diff(self.starts)), self.ids] = True
        return wanted


class LabelTable(NamedTuple):
    """The labels that are learned, with their counts."""

    names: list[Label]  # L
    counts: NDArray[np.int64]  # (L,) descending

    @classmethod
    def of(cls, labels: Iterable[Sequence[str]], min_count: int) -> LabelTable:
        """Count labels; of equal counts the one met first comes first.

        Raises:
            CorpusError: there are not two labels that occur `min_count` times.
        """
        counts = Counter(label for each in labels for label in each)
        kept = [(label, count) for label, count in counts.most_common() if count >= min_count]
        if not kept:
            raise CorpusError("No text has a label; give rows with labels to learn from.")
        if len(kept) == 1:
            raise CorpusError(
                f"All texts have the same label, '{kept[0][0]}', and two are needed; "
                "give rows with another label, or lower min_count_label."
            )
        return cls(
            of_one_type(label for label, _ in kept),
            np.array([count for _, count in kept], np.int64),
        )


def number_labels(labels: Iterable[Sequence[str]], names: Sequence[str]) -> NumberedLabels:
    """Look up the labels of each text; those that are not among `names` are left out."""
    numbers = {name: number for number, name in enumerate(names)}
    found = [[numbers[label] for label in each if label in numbers] for each in labels]
    starts = np.insert(np.cumsum([len(each) for each in found]), 0, 0).astype(np.int64)
    ids = np.fromiter((number for each in found for number in each), np.int32, starts[-1])
    return NumberedLabels(ids, starts)
