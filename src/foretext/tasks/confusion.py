"""Which labels are confused, and how far probabilities can be trusted, as a page shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from foretext.metrics import confusion_matrix, expected_calibration_error, reliability_bins

__all__ = ["confusion", "most_confused", "reliability"]

MOST_PAIRS = 30  # of labels that are confused
LARGEST_MATRIX = 40  # labels; a larger matrix is hard to read


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
