"""What word counts decide: which tokens are dropped, and which words serve as noise."""

from __future__ import annotations

import numpy as np

__all__ = ["as_chances", "centre_chances", "keep_rates", "noise_weights"]


def keep_rates(counts: np.ndarray, sample: float, formula: str) -> np.ndarray:
    """Return the chance of each word to survive sub-sampling.

    counts: (V,) int64; result: (V,) float64. With f a word's share of the text and t = `sample`:
    "word2vec" keeps with (sqrt(f / t) + 1) * t / f, as the authors' program and gensim do (t about
    1e-3); "paper" drops with 1 - sqrt(t / f) (Mikolov et al. 2013, eq. 5; t about 1e-4). A word
    that never occurs is never kept; `sample` 0 keeps all others.
    """
    occurs = counts > 0
    if sample == 0:
        return occurs.astype(np.float64)
    shares = np.maximum(counts, 1) / max(counts.sum(), 1)
    if formula == "paper":
        rates = np.sqrt(sample / shares)
    else:
        rates = (np.sqrt(shares / sample) + 1) * sample / shares
    return np.where(occurs, np.minimum(rates, 1.0), 0.0)


def noise_weights(counts: np.ndarray, exponent: float) -> np.ndarray:
    """Return count ** exponent for each word, zero for those that never occur: (V,) float64."""
    return np.where(counts > 0, np.maximum(counts, 1).astype(np.float64) ** exponent, 0.0)


def as_chances(rates: np.ndarray) -> np.ndarray:
    """Return rates from 0 to 1 as uint32 thresholds for 32 random bits: (V,)."""
    return np.minimum(rates * 2.0**32, 2.0**32 - 1).astype(np.uint32)


def centre_chances(counts: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Return how often each word is a centre, in a token of the text: (V,) float64."""
    return np.asarray(counts * keep / max(counts.sum(), 1))
