"""Naive Bayes that learns from texts without labels, too, by expectation maximisation.

Nigam, McCallum, Thrun & Mitchell 2000, "Text Classification from Labeled and Unlabeled Documents
using EM", sections 3 and 5. A text of a class is drawn from the class's own distribution of words.
The labels of the texts without one are hidden: the expectation step says how probable each class is
for each of them, and the maximisation step counts their words by these shares. Such a text weighs
less than a labelled one, since there are many of them and the model is too simple to be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.metrics import softmax
from foretext.tasks.classification.embeddings.logistic_head import (
    LogisticHead,
    Targets,
    cross_entropies,
)

__all__ = ["NaiveBayes", "chosen_temperature", "naive_bayes_by_weights", "naive_bayes_em"]

Array = NDArray[np.float64]
Features = Any  # (N, F), sparse

SMOOTHING = 0.1  # words that each class is taken to have had before the first text, of each word
STEPS, LEAST_GAIN = 12, 1e-5  # of EM; a gain is a share of the log likelihood
MOST_NUMBERS = 1 << 22  # of all models that are learned together
TEMPERATURES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 1000.0)


class NaiveBayes(NamedTuple):
    """What was learned of F words and C classes."""

    words: Array  # (F, C), log probability of a word in a text of the class
    classes: Array  # (C,), log probability of the class
    likelihoods: Sequence[float]  # log likelihood and log prior, before each step; they never fall

    def sums(self, present: Features) -> Array:
        """Return (N, C), the log probability of each text together with each class."""
        return np.asarray(present @ self.words) + self.classes

    def head(self, temperature: float) -> LogisticHead:
        """Return the head that answers alike; above 1 a temperature makes it less sure."""
        words, classes = self.words / temperature, self.classes / temperature
        if len(classes) > 2:
            return LogisticHead(words, classes)
        return LogisticHead(words[:, 1:] - words[:, :1], classes[1:] - classes[:1])


def naive_bayes_em(
    present: Features,
    targets: Targets,
    unlabelled: Features,
    weight: float,
    steps: int = STEPS,
) -> NaiveBayes:
    """Learn from rows with targets and from texts without.

    Args:
        present: (N, F), how often each word is in each text.
        targets: of the N rows, one label each.
        unlabelled: (U, F), of the texts without labels.
        weight: of each of these, in labelled texts; 0: they are not read.
        steps: of EM, at most.
    """
    weights = targets.weights[None]
    [found] = naive_bayes_by_weights(present, targets, weights, unlabelled, weight, steps)
    return found


def naive_bayes_by_weights(
    present: Features,
    targets: Targets,
    weights: Array,
    unlabelled: Features,
    weight: float,
    steps: int = STEPS,
) -> list[NaiveBayes]:
    """Learn S models from as many weightings of the same rows, which takes little more than one.

    Args:
        present: (N, F).
        targets: of the N rows; their own weights are not looked at.
        weights: (S, N); a row of weight 0 is not learned from.
        unlabelled: (U, F).
        weight: of each of these; see `naive_bayes_em`.
        steps: of EM, at most.
    """
    present, unlabelled = (each.astype(np.float64) for each in (present, unlabelled))
    size = present.shape[1] * targets.probabilities.shape[1]
    at_once = max(MOST_NUMBERS // size, 1)
    found = list[NaiveBayes]()
    for first in range(0, len(weights), at_once):
        some = weights[first : first + at_once]
        rows = targets.probabilities[:, None] * some.T[:, :, None]  # (N, S, C)
        found += _together(present, rows, unlabelled, weight, steps)
    return found


def _together(
    present: Features, rows: Array, unlabelled: Features, weight: float, steps: int
) -> list[NaiveBayes]:
    """Learn S models, of rows that are of each class by shares (N, S, C)."""
    counts, sizes = _summed(present, rows) + SMOOTHING, rows.sum(0) + 1.0  # (F, S, C), (S, C)
    found = _normalized(counts, sizes)
    likelihoods = [list[float]() for _ in range(rows.shape[1])]
    is_open = np.full(rows.shape[1], fill_value=True)
    for _ in range(steps if weight > 0 else 0):
        hidden = _joint(unlabelled, found)
        new = _likelihoods(found, present, rows, hidden, weight)
        for own, one in zip(np.flatnonzero(is_open), new[is_open], strict=True):
            likelihoods[own].append(float(one))
            is_open[own] = len(likelihoods[own]) < 2 or _gain(likelihoods[own]) >= LEAST_GAIN
        if not is_open.any():
            break
        shares = weight * softmax(hidden)
        more = _normalized(counts + _summed(unlabelled, shares), sizes + shares.sum(0))
        found = _Models(
            np.where(is_open[:, None], more.words, found.words),
            np.where(is_open[:, None], more.classes, found.classes),
        )
    return [
        NaiveBayes(np.ascontiguousarray(found.words[:, own]), found.classes[own], each)
        for own, each in enumerate(likelihoods)
    ]


def chosen_temperature(sums: Array, targets: Targets) -> float:
    """Return by which number sums are divided for held-out rows to be likeliest.

    Naive Bayes counts words that depend on each other as if each were news, and is far too sure.
    """
    weights = targets.weights

    def loss(temperature: float) -> float:
        return float((cross_entropies(softmax(sums / temperature), targets) * weights).sum())

    return min(TEMPERATURES, key=loss)


class _Models(NamedTuple):
    words: Array  # (F, S, C)
    classes: Array  # (S, C)


def _normalized(counts: Array, sizes: Array) -> _Models:
    return _Models(np.log(counts / counts.sum(0)), np.log(sizes / sizes.sum(-1, keepdims=True)))


def _summed(texts: Features, shares: Array) -> Array:
    """Return how often each word is in the texts of each class, (F, S, C), by shares (U, S, C)."""
    flat = shares.reshape(len(shares), -1)
    return np.asarray(texts.T @ flat).reshape(-1, *shares.shape[1:])


def _joint(texts: Features, found: _Models) -> Array:
    """Return (U, S, C), the log probability of each text together with each class."""
    flat = found.words.reshape(len(found.words), -1)
    return np.asarray(texts @ flat).reshape(-1, *found.classes.shape) + found.classes


def _likelihoods(
    found: _Models, present: Features, rows: Array, hidden: Array, weight: float
) -> Array:
    """Return (S,), the log of what EM makes larger: the likelihood of all texts, and the prior."""
    known = (_joint(present, found) * rows).sum((0, 2))
    top = hidden.max(2)
    others = weight * (top + np.log(np.exp(hidden - top[:, :, None]).sum(2))).sum(0)
    prior = SMOOTHING * found.words.sum((0, 2)) + found.classes.sum(1)
    likelihoods: Array = known + others + prior
    return likelihoods


def _gain(likelihoods: Sequence[float]) -> float:
    return (likelihoods[-1] - likelihoods[-2]) / abs(likelihoods[-2])
