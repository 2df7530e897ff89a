"""Logistic regression with an L2 penalty, on features that stay as they are; arrays in, arrays out.

The loss of N rows x_n with targets t_n, which may be probabilities, and weights w_n is

    |W|² / (2 C) + sum of w_n * cross_entropy(t_n, link(x_n W + b))

with C the inverse strength of the penalty, as scikit-learn counts it; b is not penalised. The link
is the softmax of all classes, or the sigmoid of each output: of two classes the second one has an
output alone, and where rows have any number of labels, each label has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.metrics import sigmoid, softmax
from foretext.tasks.classification.embeddings.minimisation import minimised

__all__ = [
    "ROUGH_TOLERANCE",
    "TOLERANCE",
    "LogisticHead",
    "Reduced",
    "Targets",
    "cross_entropies",
    "fitted_head",
    "fitted_heads",
    "reduced",
]

Array = NDArray[np.float64]
Features = Any  # (N, D), dense or sparse

TOLERANCE, ROUGH_TOLERANCE = 1e-5, 2e-4  # of the gradient of the mean loss
MOST_STEPS = 300
MOST_NUMBERS = 1 << 20  # of all heads that are learned together
MOST_ROWS = 1500  # of which the products with each other are taken
TINY = 1e-12  # a probability, and a share of the largest eigenvalue


class Targets(NamedTuple):
    """What N rows should be answered."""

    probabilities: Array  # (N, C); rows of one label sum to 1
    weights: Array  # (N,)
    are_sets: bool = False  # whether a row may have any number of labels

    @classmethod
    def of_classes(cls, classes: NDArray[np.int64], num_labels: int) -> Self:
        """Return targets of rows with one label each, by its index among all labels."""
        return cls(np.eye(num_labels)[classes], np.ones(len(classes)))

    @property
    def outputs(self) -> Array:
        """(N, O) what each output of a head should be."""
        return self.probabilities[:, 1:] if self.is_binary else self.probabilities

    @property
    def is_binary(self) -> bool:
        """Whether one of two labels is right: a head has one output."""
        return self.probabilities.shape[1] == 2 and not self.are_sets

    def part(self, rows: NDArray[np.int64]) -> Self:
        """Return the targets of some rows."""
        return self._replace(probabilities=self.probabilities[rows], weights=self.weights[rows])


class LogisticHead(NamedTuple):
    """What was learned of D features and C labels."""

    weights: NDArray[Any]  # (D, O): O is 1 where one of two labels is right, else C
    bias: NDArray[Any]  # (O,)

    def probabilities(self, features: Features, *, are_sets: bool) -> Array:
        """Return (N, C) of features (N, D)."""
        sums = np.asarray(features @ self.weights.astype(np.float64), np.float64) + self.bias
        if are_sets:
            return sigmoid(sums)
        return softmax(np.insert(sums, 0, 0.0, axis=1) if sums.shape[1] == 1 else sums)


def fitted_head(
    features: Features,
    targets: Targets,
    inverse_penalty: float,
    start: LogisticHead | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> LogisticHead:
    """Return the head of the least loss.

    Args:
        features: (N, D), dense or sparse.
        targets: of the rows.
        inverse_penalty: C.
        start: of a penalty nearby, from where the way is short; None: zeros.
        tolerance: of the gradient of the mean loss.
    """
    starts = None if start is None else [start]
    weights = targets.weights[None]
    [head] = fitted_heads(features, targets, weights, inverse_penalty, starts, tolerance=tolerance)
    return head


def fitted_heads(
    features: Features,
    targets: Targets,
    weights: Array,
    inverse_penalty: float,
    starts: Sequence[LogisticHead] | None = None,
    *,
    tolerance: float = ROUGH_TOLERANCE,
) -> list[LogisticHead]:
    """Return the heads of the least loss for S weightings of the same rows.

    Args:
        features: (N, D), dense or sparse.
        targets: of the rows; their own weights are not looked at.
        weights: (S, N); a row of weight 0 is not learned from.
        inverse_penalty: C.
        starts: heads of a penalty nearby; None: zeros.
        tolerance: of the gradient of the mean loss.
    """
    num_features, num_outputs = features.shape[1], targets.outputs.shape[1]
    size = (num_features + 1) * num_outputs
    at_once = max(MOST_NUMBERS // size, 1)
    found: list[LogisticHead] = []
    for first in range(0, len(weights), at_once):
        some = weights[first : first + at_once]
        start = np.zeros((len(some), size))
        if starts is not None:
            own = starts[first : first + at_once]
            start = np.array([np.vstack([head.weights, head.bias]).ravel() for head in own])
        loss = _Loss(features, targets, some, inverse_penalty)
        whole = minimised(loss, start, tolerance=tolerance, most_steps=MOST_STEPS)
        shaped = whole.reshape(len(some), num_features + 1, num_outputs)
        found += [LogisticHead(each[:-1], each[-1]) for each in shaped]
    return found


class _Loss:
    """The loss of S heads, each with its own weights of the same rows, over their sum."""

    def __init__(
        self, features: Features, targets: Targets, weights: Array, inverse_penalty: float
    ) -> None:
        scales = 1.0 / weights.sum(1)
        self.features, self.outputs = features, targets.outputs[:, None]  # (N, 1, O)
        self.weights = (weights * scales[:, None]).T[:, :, None]  # (N, S, 1)
        self.penalties = scales / inverse_penalty  # (S,)
        self.is_softmax = not (targets.are_sets or targets.is_binary)
        self.totals = self.outputs.sum(2, keepdims=True)  # (N, 1, 1): 1 of rows with one label

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """Return values (S,) and gradients (S, P) at S points (S, P)."""
        num_heads, num_outputs = len(points), self.outputs.shape[2]
        whole = points.reshape(num_heads, -1, num_outputs)
        heads = whole[:, :-1].transpose(1, 0, 2).reshape(-1, num_heads * num_outputs)
        sums = np.asarray(self.features @ heads).reshape(-1, num_heads, num_outputs)
        found, errors = self._loss_and_errors(sums + whole[:, -1])
        errors *= self.weights
        gradients = np.empty(whole.shape)
        flat = errors.reshape(len(errors), -1)  # (N, S * O)
        products = np.asarray(self.features.T @ flat).reshape(-1, num_heads, num_outputs)
        weights, penalties = whole[:, :-1], self.penalties[:, None, None]
        gradients[:, :-1] = products.transpose(1, 0, 2) + penalties * weights
        gradients[:, -1] = errors.sum(0)
        values = (found * self.weights[:, :, 0]).sum(0)
        values += 0.5 * self.penalties * (weights * weights).sum((1, 2))
        return values, gradients.reshape(num_heads, -1)

    def _loss_and_errors(self, sums: Array) -> tuple[Array, Array]:
        """Return cross-entropies (N, S), and what each output (N, S, O) says too much."""
        if self.is_softmax:
            sums = sums - sums.max(2, keepdims=True)
            exponents = np.exp(sums)
            totals = exponents.sum(2, keepdims=True)
            found = (self.totals * np.log(totals))[:, :, 0] - (self.outputs * sums).sum(2)
            return found, exponents * (self.totals / totals) - self.outputs
        found = (np.logaddexp(0.0, sums) - self.outputs * sums).sum(2)
        return found, sigmoid(sums) - self.outputs


def cross_entropies(probabilities: Array, targets: Targets) -> Array:
    """Return the cross-entropy of each row's probabilities (N, C) with its target, (N,), in nats.

    Where rows may have any number of labels it is the sum over all labels.
    """
    inside = np.clip(probabilities, TINY, 1.0)
    found = -(targets.probabilities * np.log(inside)).sum(1)
    if targets.are_sets:
        others = np.clip(1.0 - probabilities, TINY, 1.0)
        found -= ((1.0 - targets.probabilities) * np.log(others)).sum(1)
    return found


class Reduced(NamedTuple):
    """Features in as few numbers as there are rows, and the way back.

    The best weights are a sum of rows (the representer theorem), so that heads of these numbers
    lose nothing and have the same penalty.
    """

    features: Features  # (N, R)
    back: Array | None  # (N, R): weights (D, O) are rows.T @ back @ weights (R, O); None: the same
    rows: Features  # (N, D)

    def whole(self, head: LogisticHead) -> LogisticHead:
        """Return the head of the features as they were, from one of these."""
        if self.back is None:
            return head
        return head._replace(weights=np.asarray(self.rows.T @ (self.back @ head.weights)))


def reduced(features: Features) -> Reduced:
    """Return features (N, D) as (N, R), R at most N, where rows are few and features many."""
    num_rows, num_features = features.shape
    if num_rows > MOST_ROWS or num_features <= num_rows:
        return Reduced(features, None, features)
    products: Any = features @ features.T  # (N, N)
    products = products.toarray() if not isinstance(products, np.ndarray) else products
    squares, directions = np.linalg.eigh(np.asarray(products, np.float64))
    kept = squares > max(squares[-1] * TINY, 0.0)
    lengths = np.sqrt(squares[kept])
    return Reduced(directions[:, kept] * lengths, directions[:, kept] / lengths, features)
