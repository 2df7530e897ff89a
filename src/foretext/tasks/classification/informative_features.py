"""Which features speak for a label most, by the weights of a linear classifier."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["informative_features"]

MOST = 12  # of a label
MOST_LABELS = 100  # of which features are named; those of more labels nobody reads


def informative_features(
    labels: Sequence[str], features: Sequence[str], weights: NDArray[np.float32]
) -> dict[str, list[str]]:
    """Return, by label, the features with the largest weights above 0, the largest first.

    Args:
        labels: C names.
        features: F names.
        weights: (F, C); (F, 1) of two labels, where a weight speaks for the second one.
    """
    if weights.shape[1] == 1:
        weights = np.concatenate([-weights, weights], axis=1)
    told = zip(labels[:MOST_LABELS], weights.T, strict=False)
    return {label: [features[place] for place in _largest(own)] for label, own in told}


def _largest(weights: NDArray[np.float32]) -> list[int]:
    size = min(MOST, len(weights))
    best = np.sort(np.argpartition(-weights, size - 1)[:size])
    order = best[np.argsort(-weights[best], kind="stable")]
    return [place for place in order.tolist() if weights[place] > 0]
