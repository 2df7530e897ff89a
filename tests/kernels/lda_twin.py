"""A step of online LDA in plain numpy, float64, with scipy's psi: the twin of the kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi

Floats = NDArray[np.float64]


def weights_of(parameters: Floats, axis: int) -> Floats:
    """exp(E[log p]) of Dirichlet parameters whose sum is over `axis`."""
    return np.exp(psi(parameters) - psi(parameters.sum(axis=axis, keepdims=True)))


def infer(
    counts: Floats, topics: Floats, prior: float, least: float, passes: int
) -> tuple[Floats, Floats]:
    """Parameters (B, K) of documents, and what they say of the words, (W, K).

    counts: (B, W) of words in documents; topics: (W, K) parameters.
    """
    beta = weights_of(topics, 0)
    num_topics = topics.shape[1]
    parameters, says = np.zeros((len(counts), num_topics)), np.zeros(topics.shape)
    for number, row in enumerate(counts):
        gamma = np.full(num_topics, prior + row.sum() / num_topics)
        theta = weights_of(gamma, 0)
        for _ in range(passes):
            before = gamma
            gamma = prior + theta * ((row / (beta @ theta)) @ beta)
            theta = weights_of(gamma, 0)
            if np.abs(gamma - before).mean() < least:
                break
        parameters[number] = gamma
        says += np.outer(row / (beta @ theta), theta) * beta
    return parameters, says
