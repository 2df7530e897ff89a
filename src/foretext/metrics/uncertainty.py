"""How unsure a model is of its answers: what it may learn most from, were they labelled.

Uncertainty sampling: Lewis and Gale 1994, A Sequential Algorithm for Training Text Classifiers;
Cohn, Atlas and Ladner 1994, Improving Generalization with Active Learning. All are from 0, sure, to
1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["UncertaintyMeasure", "entropies", "margins", "set_margins"]

UncertaintyMeasure = Literal["margin", "entropy"]

Probabilities = NDArray[np.float64]


def margins(probabilities: Probabilities) -> NDArray[np.float64]:
    """Return (N,), 1 minus the lead of the best label over the second (Scheffer et al. 2001).

    Args:
        probabilities: (N, C) of labels of which one is right.
    """
    if probabilities.shape[1] < 2:
        return np.zeros(len(probabilities))
    best = np.partition(probabilities, -2, axis=1)
    found: NDArray[np.float64] = 1.0 - (best[:, -1] - best[:, -2])
    return found


def entropies(probabilities: Probabilities) -> NDArray[np.float64]:
    """Return (N,), the entropy of the labels as a share of the largest one, log C (Shannon 1948).

    Args:
        probabilities: (N, C) of labels of which one is right.
    """
    num_labels = probabilities.shape[1]
    if num_labels < 2:
        return np.zeros(len(probabilities))
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    found: NDArray[np.float64] = -(probabilities * logs).sum(1) / np.log(num_labels)
    return found


def set_margins(probabilities: Probabilities) -> NDArray[np.float64]:
    """Return (N,), how close the least sure label is to one half, where a text has any number.

    Args:
        probabilities: (N, C), of each label by itself.
    """
    if not probabilities.shape[1]:
        return np.zeros(len(probabilities))
    found: NDArray[np.float64] = 1.0 - np.abs(2.0 * probabilities - 1.0).min(1)
    return found
