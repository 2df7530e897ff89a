"""What a model is compared with: what learns at once, and the most frequent answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from foretext.base.errors import CorpusError
from foretext.data.rows import LabelledRow
from foretext.data.rows.label import ordered_labels
from foretext.messages import message
from foretext.tasks.answers import Answers
from foretext.tasks.class_answers import ClassAnswers

__all__ = ["Baseline", "majority_baseline"]

LabelSet = tuple[str, ...]  # sorted


@dataclass(frozen=True)
class Baseline:
    """A baseline that has learned.

    Attributes:
        name: what it does, such as "TF-IDF and logistic regression".
        answers: to rows, of the kind that `answer_rows` of the compared model gives.
        base: the BASE that learns it as a model; None: it is no model to use.
        linear: the `LinearClassifier` that answers; None: something else does.
        seconds: that it learned.
    """

    name: str
    answers: Callable[[Sequence[Any]], Answers]
    base: str | None = None
    linear: Any = None
    seconds: float = 0.0


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
        raise CorpusError(message("errors.rows.nothing_to_learn"))
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

    name = "the most frequent set of labels" if are_sets else "the most frequent label"
    return Baseline(name, answers)
