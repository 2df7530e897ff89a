"""Figures of the first k labels that are predicted for a text, as fastText's program counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foretext.base.errors import EvaluationError
from foretext.messages import message
from foretext.metrics.classification import multi_label_scores, share

__all__ = ["label_figures"]


def label_figures(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], k: int | None
) -> dict[str, Any]:
    """Compare the labels of each text with the first `k` that were predicted for it.

    ``precision`` is the share of predicted labels that are right, ``recall`` the share of right
    labels that were predicted, both over all texts; ``accuracy`` the share of texts whose first
    prediction is one of their labels. A label that was never trained counts as one not found.

    Raises:
        EvaluationError: there is no text with a label.
    """
    pairs = [
        (set(right), list(given))
        for right, given in zip(gold, predicted, strict=True)
        if len(right) > 0
    ]
    if not pairs:
        raise EvaluationError(message("files.rows.no_label"))
    hits = sum(len(right.intersection(given)) for right, given in pairs)
    scores = multi_label_scores([right for right, _ in pairs], [given for _, given in pairs])
    return {
        "texts": len(pairs),
        "k": k,
        "accuracy": share(sum(bool(right & {*given[:1]}) for right, given in pairs), len(pairs)),
        "precision": share(hits, sum(len(given) for _, given in pairs)),
        "recall": share(hits, sum(len(right) for right, _ in pairs)),
        "macro_f1": scores.macro_f1,
        "micro_f1": scores.micro_f1,
        "labels": {row.label: _figures(row) for row in scores.per_label},
    }


def _figures(row: Any) -> dict[str, float]:
    return {name: getattr(row, name) for name in ("precision", "recall", "f1", "support")}
