"""Answers of several views as one: a mixture, whose weights make held-out rows likely.

The probability of a label is the weighted mean of the views' probabilities. Weights that sum to 1
are found by expectation maximisation (Dempster, Laird & Rubin 1977); a Dirichlet prior counts as
rows for which all views are equally good, so that few rows leave the weights near equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tasks.classification.embeddings.cross_validation import (
    Split,
    held_out_targets,
    mean_loss,
    right_rate,
)
from foretext.tasks.classification.embeddings.logistic_head import LogisticHead, Targets

__all__ = [
    "PRIOR_ROWS",
    "JudgedHead",
    "LearnedBy",
    "LearnedHead",
    "LearnedHeads",
    "mixed",
    "mixture_weights",
    "weighed",
]

Array = NDArray[np.float64]

PRIOR_ROWS = 10.0  # for which all views are equally good
STEPS, LEAST_CHANGE = 500, 1e-6
TINY = 1e-12

# EM: what a text weighs
LearnedBy = Literal["rows", "self-training", "propagation", "EM 0.03", "EM 0.3"]


class JudgedHead(NamedTuple):
    """A head, and its answers to rows that it has not seen."""

    views: tuple[int, ...]
    learned_by: LearnedBy
    head: LogisticHead  # of the features as the views give them
    inverse_penalty: float | None  # None: it has no penalty
    answers: Array | None  # (M, C), of the held-out rows of all splits; None: there are none


class LearnedHead(NamedTuple):
    """A head, and what cross-validation says of it."""

    views: tuple[int, ...]
    learned_by: LearnedBy
    head: LogisticHead
    inverse_penalty: float | None
    weight: float  # in the mixture
    log_loss: float | None  # of held-out rows, in nats; None: no row could be held out
    accuracy: float | None


class LearnedHeads(NamedTuple):
    """All heads, and what cross-validation says of their mixture."""

    heads: list[LearnedHead]
    log_loss: float | None
    accuracy: float | None


def mixed(probabilities: Sequence[Array] | Array, weights: Array) -> Array:
    """Return the weighted mean (N, C) of the views' probabilities (V, N, C)."""
    found: Array = np.tensordot(weights, np.asarray(probabilities), 1)
    return found


def mixture_weights(
    probabilities: Sequence[Array] | Array, targets: Targets, prior_rows: float = PRIOR_ROWS
) -> Array:
    """Return the weight of each view, (V,); they sum to 1.

    Args:
        probabilities: (V, N, C), of rows that the views have not learned from.
        targets: of these rows; a row that was answered several times weighs less each time.
        prior_rows: how many rows the prior counts for.
    """
    likely, rows = _likelihoods(np.asarray(probabilities), targets)
    num_views = len(likely)
    weights = np.full(num_views, 1.0 / num_views)
    for _ in range(STEPS):
        parts = weights[:, None] * likely  # (V, N)
        shares = parts / np.maximum(parts.sum(0), TINY)
        counts = (shares * rows).sum(1) + prior_rows / num_views
        before, weights = weights, counts / counts.sum()
        if np.abs(weights - before).max() < LEAST_CHANGE:
            break
    return weights


def _likelihoods(probabilities: Array, targets: Targets) -> tuple[Array, Array]:
    """Return how likely each view makes each answer, (V, N), and how much the answer counts, (N,).

    Of rows with any number of labels each label is an answer.
    """
    wanted = targets.probabilities
    if not targets.are_sets:
        return (probabilities * wanted).sum(2), targets.weights
    likely = probabilities * wanted + (1.0 - probabilities) * (1.0 - wanted)  # (V, N, C)
    num_labels = wanted.shape[1]
    return likely.reshape(len(likely), -1), np.repeat(targets.weights / num_labels, num_labels)


def weighed(heads: Sequence[JudgedHead], targets: Targets, splits: Sequence[Split]) -> LearnedHeads:
    """Weigh heads by their answers to held-out rows; without such rows all weigh the same."""
    if not splits:
        equal = 1.0 / len(heads)
        return LearnedHeads(
            [LearnedHead(*each[:4], equal, None, None) for each in heads], None, None
        )
    wanted = held_out_targets(targets, splits)
    answers = np.array([each.answers for each in heads])
    weights = mixture_weights(answers, wanted)
    found = [
        LearnedHead(*each[:4], float(weight), mean_loss(own, wanted), right_rate(own, wanted))
        for each, weight, own in zip(heads, weights, answers, strict=True)
    ]
    both = mixed(answers, weights)
    return LearnedHeads(found, mean_loss(both, wanted), right_rate(both, wanted))
