"""Answers of a classifier beside the right ones: confusions, calibration, the worst errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from foretext.classifiers.class_answers import ClassAnswers
from foretext.classifiers.excerpts import excerpt
from foretext.data.rows import LabelledRow
from foretext.metrics import confusion_matrix, expected_calibration_error, reliability_bins

__all__ = ["class_findings", "confusion", "most_confused", "reliability"]

MOST_ERRORS = 50
MOST_PAIRS = 30  # of labels that are confused
LARGEST_MATRIX = 40  # labels; a larger matrix is hard to read

LabelSet = tuple[str, ...]


class _Decision(NamedTuple):
    """The answer to a row, and its probability."""

    right: LabelSet
    given: LabelSet
    probability: (
        float | None
    )  # of the answer; of several labels, the surest wrong one; None: unknown


def class_findings(
    rows: Sequence[LabelledRow], answers: ClassAnswers, fields: Sequence[str] = ("text",)
) -> dict[str, Any]:
    """Return errors and reliability; where rows have one label, also which labels are confused.

    Args:
        rows: with their right labels.
        answers: to them.
        fields: attributes of a row that hold its texts.
    """
    of_one_each = not answers.is_multi_label
    decisions = (_of_one_label if of_one_each else _of_label_sets)(rows, answers)
    found = _errors(rows, decisions, fields)
    if of_one_each:
        found |= reliability(answers.probabilities.max(1), _are_right(decisions))
        found |= confusion(
            [each.right[0] for each in decisions],
            [each.given[0] for each in decisions],
            answers.labels,
        )
    else:
        found |= reliability(*_of_every_label(rows, answers))
    return found


def confusion(
    gold: Sequence[str], predicted: Sequence[str], labels: Sequence[str]
) -> dict[str, Any]:
    """Return the matrix of up to 40 labels, and the pairs that are confused most.

    Args:
        gold: N right labels.
        predicted: N labels.
        labels: in the order of the matrix; other ones follow them.
    """
    known = [*labels, *sorted({*gold, *predicted} - set(labels))]
    found: dict[str, Any] = {"confused": most_confused(gold, predicted)}
    if len(known) <= LARGEST_MATRIX:
        counts = confusion_matrix(gold, predicted, known)
        found["confusion"] = {"labels": known, "counts": counts.tolist()}
    return found


def most_confused(gold: Sequence[str], predicted: Sequence[str]) -> list[dict[str, Any]]:
    """Return the 30 pairs of labels that are confused most often, with counts."""
    counts = Counter(pair for pair in zip(gold, predicted, strict=True) if pair[0] != pair[1])
    return [
        {"right": right, "given": given, "count": count}
        for (right, given), count in counts.most_common(MOST_PAIRS)
    ]


def reliability(confidence: ArrayLike, is_right: ArrayLike) -> dict[str, Any]:
    """Return the non-empty bins of answers by confidence, and their expected calibration error.

    Args:
        confidence: (N,) probabilities.
        is_right: (N,) bool.
    """
    bins = reliability_bins(confidence, is_right)
    return {
        "reliability": [each._asdict() for each in bins if each.size],
        "calibration_error": expected_calibration_error(confidence, is_right),
    }


def _of_one_label(rows: Sequence[Any], answers: ClassAnswers) -> list[_Decision]:
    given, highest = answers.most_probable(), answers.probabilities.max(1).tolist()
    return [
        _Decision(row.labels, (label,), probability)
        for row, label, probability in zip(rows, given, highest, strict=True)
    ]


def _of_label_sets(rows: Sequence[Any], answers: ClassAnswers) -> list[_Decision]:
    wrong = np.abs(answers.probabilities - _gold(rows, answers.labels))  # (N, C)
    worst = wrong.max(1).tolist()
    return [
        _Decision(tuple(sorted(row.labels)), given, probability if probability >= 0.5 else None)
        for row, given, probability in zip(rows, answers.above_half(), worst, strict=True)
    ]


def _of_every_label(rows: Sequence[Any], answers: ClassAnswers) -> tuple[ArrayLike, ArrayLike]:
    """Return confidence and whether it is right, (N * C,), for each label of each text."""
    says_yes = answers.probabilities > 0.5
    sure = np.where(says_yes, answers.probabilities, 1 - answers.probabilities)
    return sure.ravel(), (says_yes == _gold(rows, answers.labels)).ravel()


def _gold(rows: Sequence[Any], labels: Sequence[str]) -> Any:
    """Return which labels are right, (N, C)."""
    return np.array([[label in row.labels for label in labels] for row in rows])


def _are_right(decisions: Sequence[_Decision]) -> list[bool]:
    return [each.right == each.given for each in decisions]


def _errors(
    rows: Sequence[Any], decisions: Sequence[_Decision], fields: Sequence[str]
) -> dict[str, Any]:
    """Return the errors with the highest probabilities."""
    wrong = [place for place, right in enumerate(_are_right(decisions)) if not right]
    wrong.sort(key=lambda place: -(decisions[place].probability or 0.0))
    return {
        "num_errors": len(wrong),
        "errors": [_error(rows[place], decisions[place], fields) for place in wrong[:MOST_ERRORS]],
    }


def _error(row: Any, decision: _Decision, fields: Sequence[str]) -> dict[str, Any]:
    return {
        **{name: excerpt(getattr(row, name)) for name in fields},
        "right": ", ".join(decision.right),
        "given": ", ".join(decision.given),
        "probability": decision.probability,
        "place": row.place,
    }
