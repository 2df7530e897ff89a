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

__all__ = ["NaiveBayes", "chosen_temperature", "naive_bayes_em"]

Array = NDArray[np.float64]
Features = Any  # (N, F), sparse

SMOOTHING = 0.1  # words that each class is taken to have had before the first text, of each word
STEPS, LEAST_GAIN = 12, 1e-5  # of EM; a gain is a share of the log likelihood
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
    present: Features, targets: Targets, unlabelled: Features, weight: float, steps: int = STEPS
) -> NaiveBayes:
    """Learn from rows with targets and from texts without.

    Args:
        present: (N, F), how often each word is in each text.
        targets: of the N rows, one label each.
        unlabelled: (U, F), of the texts without labels.
        weight: of each of these, in labelled texts; 0: they are not read.
        steps: of EM, at most.
    """
    rows = targets.probabilities * targets.weights[:, None]
    counts, sizes = np.asarray(present.T @ rows) + SMOOTHING, rows.sum(0) + 1.0
    found = _normalized(counts, sizes)
    likelihoods = list[float]()
    for _ in range(steps if weight > 0 else 0):
        hidden = found.sums(unlabelled)
        likelihoods.append(_likelihood(found, present, rows, hidden, weight))
        if len(likelihoods) > 1 and _gain(likelihoods) < LEAST_GAIN:
            break
        shares = weight * softmax(hidden)
        more = np.asarray(unlabelled.T @ shares)
        found = _normalized(counts + more, sizes + shares.sum(0))
    return found._replace(likelihoods=likelihoods)


def chosen_temperature(sums: Array, targets: Targets) -> float:
    """Return by which number sums are divided for held-out rows to be likeliest.

    Naive Bayes counts words that depend on each other as if each were news, and is far too sure.
    """
    weights = targets.weights

    def loss(temperature: float) -> float:
        return float((cross_entropies(softmax(sums / temperature), targets) * weights).sum())

    return min(TEMPERATURES, key=loss)


def _normalized(counts: Array, sizes: Array) -> NaiveBayes:
    return NaiveBayes(np.log(counts / counts.sum(0)), np.log(sizes / sizes.sum()), ())


def _likelihood(
    found: NaiveBayes, present: Features, rows: Array, hidden: Array, weight: float
) -> float:
    """Return the log of what EM makes larger: the likelihood of all texts, and the prior."""
    known = float((found.sums(present) * rows).sum())
    top = hidden.max(1)
    others = weight * float((top + np.log(np.exp(hidden - top[:, None]).sum(1))).sum())
    return known + others + SMOOTHING * float(found.words.sum()) + float(found.classes.sum())


def _gain(likelihoods: Sequence[float]) -> float:
    return (likelihoods[-1] - likelihoods[-2]) / abs(likelihoods[-2])
