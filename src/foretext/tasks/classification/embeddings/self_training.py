"""Self-training: the classifier labels texts of its own, and learns from those it is sure of.

Yarowsky 1995, "Unsupervised Word Sense Disambiguation Rivaling Supervised Methods"; Scudder 1965.
Of the texts that the teacher gives to a class the surest three in ten are taken, class by class, so
that a frequent class does not crowd out a rare one. All of them together weigh at most as much as
five times the labelled rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tasks.classification.embeddings.logistic_head import (
    TOLERANCE,
    LogisticHead,
    Targets,
    fitted_head,
)

__all__ = ["OwnLabels", "own_labels", "self_trained_head"]

Array = NDArray[np.float64]
Features = Any  # (N, D), dense or sparse

SURE_RATE = 0.3  # of the texts of each class
MASS = 5.0  # how many times the weight of the rows all these texts have together, at most


class OwnLabels(NamedTuple):
    """Texts without labels, and the labels that a teacher gives them."""

    rows: NDArray[np.int64]  # (S,), numbers of the texts
    labels: NDArray[np.int64]  # (S,), indices of their labels


def own_labels(probabilities: Array, sure_rate: float = SURE_RATE) -> OwnLabels:
    """Return the texts that a teacher is surest of, by class, the surest first.

    Args:
        probabilities: (U, C), of the teacher.
        sure_rate: which share of the texts of each class is taken; one text at least.
    """
    best, sureness = probabilities.argmax(1), probabilities.max(1)
    taken = list[NDArray[np.int64]]()
    for label in range(probabilities.shape[1]):
        own = np.flatnonzero(best == label)
        number = max(int(sure_rate * len(own)), 1)
        taken.append(own[np.argsort(-sureness[own], kind="stable")][:number])
    rows = np.concatenate(taken)
    return OwnLabels(rows, best[rows])


def self_trained_head(
    features: Features,
    targets: Targets,
    unlabelled: Features,
    own: OwnLabels,
    inverse_penalty: float,
    *,
    tolerance: float = TOLERANCE,
) -> LogisticHead:
    """Return a head that learned from rows, and from texts with the labels of a teacher.

    Args:
        features: (N, D), of the rows.
        targets: of the rows, one label each.
        unlabelled: (U, D), of the texts.
        own: which of them are taken, and their labels.
        inverse_penalty: C.
        tolerance: of the gradient of the mean loss; a head that is judged, not kept, needs less.
    """
    chosen = unlabelled[own.rows]
    if isinstance(features, np.ndarray):
        stacked: Features = np.vstack([features, chosen])
    else:
        from scipy.sparse import vstack

        stacked = vstack([features, chosen]).tocsr()
    num_labels = targets.probabilities.shape[1]
    weight = min(1.0, MASS * targets.weights.sum() / len(own.rows))
    wanted = Targets(
        np.vstack([targets.probabilities, np.eye(num_labels)[own.labels]]),
        np.concatenate([targets.weights, np.full(len(own.rows), weight)]),
    )
    if isinstance(stacked, np.ndarray):
        return fitted_head(stacked, wanted, inverse_penalty, tolerance=tolerance)
    there = np.flatnonzero(stacked.getnnz(0))  # the best weight of any other word is 0
    head = fitted_head(stacked[:, there], wanted, inverse_penalty, tolerance=tolerance)
    weights = np.zeros((stacked.shape[1], head.weights.shape[1]))
    weights[there] = head.weights
    return head._replace(weights=weights)
