"""What a head reads: the features of one view, or of several side by side, brought to one scale.

Features of vectors are brought to a mean of 0, and to a mean square that each number shares: a
text's features have length 1 on average, whatever the model, so that one grid of penalties suits
all views, and that of words, whose length is 1. Mean and scale are folded into the head that is
kept. Where there are several kinds of vectors one more head reads all of them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tasks.classification.embeddings.logistic_head import Features, LogisticHead

__all__ = ["Material", "Scale", "joined", "materials_of"]

Array = NDArray[np.float64]

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


class Material(NamedTuple):
    """What a head reads: features that are scaled, of the rows and of texts without labels."""

    views: tuple[int, ...]  # numbers of the views whose features stand side by side
    features: Features  # (N, D)
    unlabelled: Features | None = None  # (U, D)
    scale: Scale | None = None

    @property
    def is_dense(self) -> bool:
        """Whether it is of vectors, not of words."""
        return isinstance(self.features, np.ndarray)

    def kept(self, head: LogisticHead) -> LogisticHead:
        """Return a head of the features as the views give them."""
        return head if self.scale is None else self.scale.folded(head)


def joined(features: Sequence[Features]) -> Features:
    """Return the features of several views side by side."""
    return features[0] if len(features) == 1 else np.hstack(features)


def materials_of(features: Sequence[Features], unlabelled: Sequence[Features]) -> list[Material]:
    """Return what heads read: each view by itself, then all views of vectors together.

    Args:
        features: of each view, (N, D) with a D of its own.
        unlabelled: of the same views, (U, D); (): there are no such texts.
    """
    dense = [number for number, each in enumerate(features) if isinstance(each, np.ndarray)]
    groups: list[tuple[int, ...]] = [(number,) for number in range(len(features))]
    groups += [tuple(dense)] if len(dense) > 1 else []
    found = []
    for group in groups:
        own = joined([features[number] for number in group])
        more = joined([unlabelled[number] for number in group]) if unlabelled else None
        scale = Scale.of(own if more is None else more)
        if scale is not None:
            own, more = scale.scaled(own), None if more is None else scale.scaled(more)
        found.append(Material(group, own, more, scale))
    return found
