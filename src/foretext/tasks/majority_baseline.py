"""The most frequent answer, whatever is asked: what every model should beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledRow
from foretext.data.rows.label import ordered_labels
from foretext.tasks.baseline import Baseline
from foretext.tasks.class_answers import ClassAnswers

__all__ = ["majority_baseline"]

LabelSet = tuple[str, ...]  # sorted


def majority_baseline(
    rows: Sequence[LabelledRow],
    *,
    of_pairs: bool = False,
    counts_any: bool = False,
    judged_by: str = "accuracy",
) -> Baseline:
    """Count labels; of equally frequent ones the first in the alphabet is the answer.

    Its probabilities are the shares of the labels. Where rows have several labels, the answer is
    the most frequent set of them, and its labels have the probability 1, all others 0.

    Args:
        rows: with labels.
        of_pairs: whether they are pairs of texts.
        counts_any, judged_by: as of `ClassAnswers`.

    Raises:
        CorpusError: there is no row.
    """
    sets: Counter[LabelSet] = Counter(tuple(sorted(row.labels)) for row in rows)
    if not sets:
        raise CorpusError("There is no row to learn from; give rows with labels.")
    labels = tuple(ordered_labels({label for own in sets for label in own}))
    are_sets = any(len(own) != 1 for own in sets)
    answer = min(sets, key=lambda own: (-sets[own], own))
    if are_sets:
        shares = [float(label in answer) for label in labels]
    else:
        shares = [sets[label,] / len(rows) for label in labels]

    def answers(others: Sequence[LabelledRow]) -> ClassAnswers:
        found = np.tile(shares, (len(others), 1))
        return ClassAnswers(
            labels, found, are_sets, of_pairs=of_pairs, counts_any=counts_any, judged_by=judged_by
        )

    return Baseline(f"the most frequent {'set of labels' if are_sets else 'label'}", answers)
