"""The heads of all views, and how much each view counts: one look at features and targets.

Features of vectors are brought to a mean of 0, and to a mean square that each number shares: a
text's features have length 1 on average, whatever the model, so that one grid of penalties suits
all views, and that of words, whose length is 1. Mean and scale are those of the training, folded
into the head that is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tasks.classification.embeddings.cross_validation import (
    Split,
    Validated,
    chosen_strength,
    held_out_rows,
    mean_loss,
    out_of_fold,
    right_rate,
    stratified_splits,
    validated,
)
from foretext.tasks.classification.embeddings.logistic_head import (
    Features,
    LogisticHead,
    Targets,
    fitted_head,
    reduced,
)
from foretext.tasks.classification.embeddings.mixture import mixed, mixture_weights

__all__ = ["USUAL_STRENGTH", "LearnedView", "LearnedViews", "Scale", "learn_views"]

Array = NDArray[np.float64]

USUAL_STRENGTH = 1.0  # inverse penalty where no row can be held out
SHRINKING = 30.0  # rows of the common variance that the variance of each number begins with


class Scale(NamedTuple):
    """What is taken from features (N, D), and by what they are divided."""

    mean: Array  # (D,)
    scale: Array  # (D,)

    @classmethod
    def of(cls, features: Features) -> Scale | None:
        """Return the scale of dense features; None of sparse ones, which stay as they are.

        Few rows say little of the variance of each number: theirs is drawn to the mean of all.
        """
        if not isinstance(features, np.ndarray):
            return None
        whole = features.astype(np.float64)
        num_rows, num_features = whole.shape
        variances = whole.var(0)
        shared = variances.mean()
        drawn = (num_rows * variances + SHRINKING * shared) / (num_rows + SHRINKING)
        scale = np.sqrt(drawn * num_features)
        return cls(whole.mean(0), np.where(scale > 0, scale, 1.0))

    def scaled(self, features: Features) -> Array:
        """Return features with mean 0 and length 1 on average."""
        found: Array = (features - self.mean) / self.scale
        return found

    def folded(self, head: LogisticHead) -> LogisticHead:
        """Return a head of scaled features as one of the features themselves."""
        weights = head.weights / self.scale[:, None]
        return LogisticHead(weights, head.bias - self.mean @ weights)


class LearnedView(NamedTuple):
    """The head of one view, and what cross-validation says of it."""

    head: LogisticHead
    weight: float  # in the mixture
    inverse_penalty: float
    log_loss: float | None  # of held-out rows, in nats; None: no row could be held out
    accuracy: float | None


class LearnedViews(NamedTuple):
    """All views, and what cross-validation says of their mixture."""

    views: list[LearnedView]
    log_loss: float | None
    accuracy: float | None


def learn_views(
    features: Sequence[Features],
    targets: Targets,
    strata: Sequence[Hashable],
    *,
    inverse_penalty: float | None = None,
    folds: int = 5,
    seed: int = 0,
    scales: Sequence[Scale | None] | None = None,
) -> LearnedViews:
    """Learn a head for each view, with penalties and mixture weights chosen on held-out rows.

    Args:
        features: of each view, (N, D) with a D of its own.
        targets: of the N rows.
        strata: (N,) the class of each row, for the folds.
        inverse_penalty: of all heads; None: chosen by cross-validation.
        folds: of cross-validation.
        seed: of the folds.
        scales: of the features; None: those of these rows.
    """
    splits = stratified_splits(strata, folds, seed)
    found = scales or [Scale.of(each) for each in features]
    scaled = [
        each if scale is None else scale.scaled(each)
        for each, scale in zip(features, found, strict=True)
    ]
    small = [reduced(each) for each in scaled]
    judged = [_validated(each.features, targets, splits, inverse_penalty) for each in small]
    strengths = [
        inverse_penalty or USUAL_STRENGTH if each is None else each.inverse_penalty
        for each in judged
    ]
    heads = [
        each.whole(fitted_head(each.features, targets, strength))
        for each, strength in zip(small, strengths, strict=True)
    ]
    heads = [
        head if scale is None else scale.folded(head)
        for head, scale in zip(heads, found, strict=True)
    ]
    return _mixed_views(heads, strengths, [each for each in judged if each], targets, splits)


def _validated(
    features: Any, targets: Targets, splits: Sequence[Split], inverse_penalty: float | None
) -> Validated | None:
    if not splits:
        return None
    if inverse_penalty is None:
        return chosen_strength(features, targets, splits)
    answers, _ = out_of_fold(features, targets, splits, inverse_penalty)
    return validated(inverse_penalty, answers, targets, splits)


def _mixed_views(
    heads: Sequence[LogisticHead],
    strengths: Sequence[float],
    judged: Sequence[Validated],
    targets: Targets,
    splits: Sequence[Split],
) -> LearnedViews:
    """Weigh the views by their answers to held-out rows."""
    if not splits:
        equal = 1.0 / len(heads)
        views = [
            LearnedView(head, equal, strength, None, None)
            for head, strength in zip(heads, strengths, strict=True)
        ]
        return LearnedViews(views, None, None)
    rows = held_out_rows(splits)
    times = np.bincount(rows)[rows]
    wanted = targets.part(rows)
    wanted = wanted._replace(weights=wanted.weights / times)
    answers = np.array([each.probabilities for each in judged])
    weights = mixture_weights(answers, wanted)
    views = [
        LearnedView(head, float(weight), strength, mean_loss(own, wanted), right_rate(own, wanted))
        for head, weight, strength, own in zip(heads, weights, strengths, answers, strict=True)
    ]
    both = mixed(answers, weights)
    return LearnedViews(views, mean_loss(both, wanted), right_rate(both, wanted))
