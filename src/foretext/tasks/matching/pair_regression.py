"""Regression on the overlaps of pairs, with an L2 penalty on standardised features.

Labels are learned by logistic regression. Scores are learned by ridge regression, whose loss of N
rows x_n with scores y_n is

    |w|² / (2 C) + sum of ½ (y_n - x_n w - b)²

with C the inverse strength of the penalty, 1 / alpha of scikit-learn; b is not penalised. The
features are few and alike in size, so that one C suits all numbers of rows: cross-validation chose
none that was better (docs/log.md).
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.base.config import Config
from foretext.tasks.classification.embeddings.logistic_head import (
    LogisticHead,
    Targets,
    fitted_heads,
)

__all__ = ["PairRegression", "PairRegressionConfig"]

Array = NDArray[np.float64]

TOLERANCE = 1e-8  # of the gradient of the mean loss
CONSTANT = 1e-12  # deviation of a feature that is the same for all pairs


class PairRegressionConfig(Config):
    """The regression on what both texts of a pair share."""

    inverse_penalty: float = Field(default=1.0, gt=0)
    """Inverse strength of the L2 penalty on standardised features, C of scikit-learn."""


class PairRegression(NamedTuple):
    """What was learned of F features and O outputs: one of scores and of two labels, else C."""

    weights: Array  # (F, O), of the features as they are
    bias: Array  # (O,)

    @classmethod
    def of_labels(cls, features: Array, targets: Targets, inverse_penalty: float) -> Self:
        """Learn logistic regression.

        Args:
            features: (N, F).
            targets: the label of each row.
            inverse_penalty: C.
        """
        scales = _Scales.of(features, targets.weights)
        [head] = fitted_heads(
            scales.applied(features), targets, targets.weights[None], inverse_penalty,
            tolerance=TOLERANCE,
        )  # fmt: skip
        return cls(*scales.undone(head))

    @classmethod
    def of_scores(
        cls, features: Array, scores: Array, inverse_penalty: float, weights: Array | None = None
    ) -> Self:
        """Learn ridge regression.

        Args:
            features: (N, F).
            scores: (N,).
            inverse_penalty: C.
            weights: (N,) of the rows; None: all weigh 1.
        """
        own = np.ones(len(scores)) if weights is None else weights
        scales, mean = _Scales.of(features, own), np.average(scores, weights=own)
        standard = scales.applied(features)
        weighed = standard.T * own  # (F, N)
        squares = weighed @ standard + np.eye(features.shape[1]) / inverse_penalty
        found = np.linalg.solve(squares, weighed @ (scores - mean))
        return cls(*scales.undone(LogisticHead(found[:, None], np.array([mean]))))

    def sums(self, features: Array) -> Array:
        """Return the outputs (N, O) of features (N, F)."""
        return features @ self.weights + self.bias


class _Scales(NamedTuple):
    """Means and standard deviations of F features; a constant one is divided by 1."""

    means: Array
    deviations: Array

    @classmethod
    def of(cls, features: Array, weights: Array) -> Self:
        means = np.average(features, 0, weights)
        deviations = np.sqrt(np.average((features - means) ** 2, 0, weights))
        return cls(means, np.where(deviations > CONSTANT, deviations, 1.0))

    def applied(self, features: Array) -> Array:
        return (features - self.means) / self.deviations

    def undone(self, head: LogisticHead) -> tuple[Array, Array]:
        """Return weights and bias of the features as they were, from those of scaled ones."""
        weights = head.weights / self.deviations[:, None]
        return weights, head.bias - self.means @ weights
