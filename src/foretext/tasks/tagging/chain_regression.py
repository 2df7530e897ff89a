"""A linear-chain CRF as a regression: weights of features and of steps, learned by L-BFGS.

Lafferty, McCallum & Pereira 2001, "Conditional Random Fields", learned by L-BFGS with an L2 penalty
as in Sha & Pereira 2003, "Shallow Parsing with Conditional Random Fields". The loss of sentences
with features x and tags y is

    |w|² / (2 C) - sum of log P(y | x)

with C the inverse strength of the penalty. What the scheme of the tags forbids has probability 0,
in training and in decoding.

N tokens of B sentences, F features by name, U words with vectors of D numbers, C tags; the vectors
of K neighbours are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.base.runtime import refuse_without_memory
from foretext.kernels.crf import expectations
from foretext.messages import message
from foretext.metrics.tag_schemes import Scheme, is_allowed
from foretext.tasks.classification.embeddings.minimisation import MEMORY, minimised

__all__ = [
    "Chain",
    "ChainFeatures",
    "Lawful",
    "Sums",
    "learn_chain",
    "negative_log_likelihood",
    "observed_sums",
]

Array = NDArray[np.float64]

TOLERANCE = 1e-4  # of the gradient of the loss of a token
COPIES = 2 * MEMORY + 10  # of all weights in memory


class ChainFeatures(NamedTuple):
    """What is known of the tokens of some sentences."""

    sparse: Any  # (N, F) CSR, how often a token has a feature
    vectors: Array  # (U, D), of all words of these sentences; D is 0 without vectors
    neighbors: tuple[Any, ...]  # K times (N, U) CSR, the word beside each token
    starts: NDArray[np.int64]  # (B + 1,) where sentences start; the last one is N

    @property
    def num_weights(self) -> int:
        """Of a tag, F + K D."""
        return int(self.sparse.shape[1]) + len(self.neighbors) * self.vectors.shape[1]

    def scores(self, weights: NDArray[Any]) -> Array:
        """Return the score of each tag at each token, (N, C).

        Args:
            weights: (F + K D, C).
        """
        num_names, dim = self.sparse.shape[1], self.vectors.shape[1]
        found = np.asarray(self.sparse @ weights[:num_names], np.float64)
        for number, beside in enumerate(self.neighbors):
            first = num_names + number * dim
            found += beside @ (self.vectors @ weights[first : first + dim])
        return found

    def sums(self, values: Array) -> Array:
        """Return the sum of values (N, C) over the tokens by feature, (F + K D, C)."""
        parts = [self.sparse.T @ values]
        parts += [self.vectors.T @ (beside.T @ values) for beside in self.neighbors]
        return np.concatenate(parts)


class Lawful(NamedTuple):
    """Which steps from tag to tag the scheme of the tags allows."""

    steps: NDArray[np.bool_]  # (C, C) from the row's tag to the column's
    first: NDArray[np.bool_]  # (C,) of the first token of a sentence
    last: NDArray[np.bool_]

    @classmethod
    def of(cls, labels: Sequence[str], scheme: Scheme | None) -> Self:
        """Return what a scheme allows; None: everything."""
        if scheme is None:
            size = len(labels)
            return cls(np.ones((size, size), bool), np.ones(size, bool), np.ones(size, bool))
        return cls(
            np.array([[is_allowed(a, b, scheme) for b in labels] for a in labels]),
            np.array([is_allowed(None, tag, scheme) for tag in labels]),
            np.array([is_allowed(tag, None, scheme) for tag in labels]),
        )

    def bounded(self, scores: Array, starts: NDArray[np.int64]) -> Array:
        """Return scores (N, C) with -inf where a sentence may not begin or end so."""
        if self.first.all() and self.last.all():
            return scores
        found, real = scores.copy(), np.diff(starts) > 0
        for rows, allowed in ((starts[:-1], self.first), (starts[1:] - 1, self.last)):
            found[rows[real]] = np.where(allowed, found[rows[real]], -np.inf)
        return found


class Chain(NamedTuple):
    """What was learned."""

    weights: NDArray[np.float32]  # (F + K D, C)
    steps: NDArray[np.float32]  # (C, C), of the column's tag after the row's

    def scores(self, features: ChainFeatures, lawful: Lawful) -> Array:
        """Return the score of each tag at each token, (N, C); -inf: it is forbidden there."""
        return lawful.bounded(features.scores(self.weights), features.starts)

    def transitions(self, lawful: Lawful) -> Array:
        """Return the scores of steps, (C, C); -inf: the step is forbidden."""
        return np.where(lawful.steps, self.steps.astype(np.float64), -np.inf)


class Sums(NamedTuple):
    """What tags of the sentences add up to."""

    weights: Array  # (F + K D, C) of features
    steps: Array  # (C, C) of steps


def observed_sums(features: ChainFeatures, tags: NDArray[np.int64], num_tags: int) -> Sums:
    """Return what the right tags (N,) add up to."""
    follows = np.ones(len(tags), bool)
    follows[features.starts[:-1][np.diff(features.starts) > 0]] = False
    steps = np.zeros((num_tags, num_tags))
    np.add.at(steps, (tags[:-1][follows[1:]], tags[1:][follows[1:]]), 1)
    return Sums(features.sums(np.eye(num_tags)[tags]), steps)


def negative_log_likelihood(
    features: ChainFeatures, observed: Sums, lawful: Lawful, weights: Array, steps: Array
) -> tuple[float, Sums]:
    """Return -log P of the right tags, summed over the sentences, and its gradient.

    Args:
        features: of the tokens.
        observed: what the right tags add up to.
        lawful: which steps are allowed.
        weights: (F + K D, C).
        steps: (C, C).
    """
    scores = lawful.bounded(features.scores(weights), features.starts)
    found = expectations(scores, np.where(lawful.steps, steps, -np.inf), features.starts)
    right = float((weights * observed.weights).sum() + (steps * observed.steps).sum())
    assert found.tags is not None
    assert found.steps is not None
    gradient = Sums(features.sums(found.tags) - observed.weights, found.steps - observed.steps)
    return found.log_partition - right, gradient


def learn_chain(
    features: ChainFeatures,
    tags: NDArray[np.int64],
    lawful: Lawful,
    inverse_penalty: float,
    max_passes: int,
    *,
    tolerance: float = TOLERANCE,
    report: Callable[[float], None] = lambda loss: None,
) -> Chain:
    """Learn the weights of features and of steps.

    Args:
        features: of N tokens.
        tags: (N,) the right ones.
        lawful: which steps are allowed; the right tags have no other.
        inverse_penalty: C.
        max_passes: over the sentences, about: one of its steps may take several.
        tolerance: of the gradient of the loss of a token.
        report: gets the loss per token after each pass.

    Raises:
        SettingError: features and tags are more than the memory holds.
    """
    num_tags = len(lawful.first)
    shape, size = (features.num_weights, num_tags), features.num_weights * num_tags
    refuse_without_memory(
        COPIES * 8 * size,
        message("errors.room.tagger", tags=num_tags, features=shape[0]),
        message("errors.room.tagger_remedy"),
    )
    observed = observed_sums(features, tags, num_tags)

    scale, penalty = 1 / max(len(tags), 1), 1 / inverse_penalty

    def loss(points: Array) -> tuple[Array, Array]:
        """Return the loss of a token, (1,), and its gradient, (1, P), at one point."""
        (values,) = points
        weights, steps = values[:size].reshape(shape), values[size:].reshape(num_tags, num_tags)
        found, gradient = negative_log_likelihood(features, observed, lawful, weights, steps)
        whole = scale * (found + penalty / 2 * float((values * values).sum()))
        report(whole)
        flat = np.concatenate([each.ravel() for each in gradient])
        return np.array([whole]), scale * (flat + penalty * values)[None]

    start = np.zeros((1, size + num_tags**2))
    (best,) = minimised(loss, start, tolerance=tolerance, most_steps=max_passes)
    weights, steps = best[:size].reshape(shape), best[size:].reshape(num_tags, num_tags)
    return Chain(weights.astype(np.float32), steps.astype(np.float32))
