"""What is learned from beside labels: a teacher's answers, or the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import LabelledText

__all__ = ["Consistency", "Lessons", "Teaching"]


class Teaching(NamedTuple):
    """How much a teacher counts."""

    weight: float  # of its answers in the loss, from 0 to 1; the labels have the rest
    temperature: float  # that softens its answers


class Consistency(NamedTuple):
    """How a model learns to answer rows without labels alike, whichever tokens are replaced."""

    weight: float  # of this part of the loss; that of the labels has 1
    replaced_rate: float  # share of the tokens that are replaced
    temperature: float  # that sharpens the answers to be learned, at most 1
    confidence: float  # probability from which an answer is learned


@dataclass(frozen=True)
class Lessons:
    """Rows, and how probable a teacher finds each label of each.

    Attributes:
        labelled: N rows with labels.
        unlabelled: U rows without.
        probabilities: (N + U, C) of both, one after the other; labels are in the order of the
            model that learns.
    """

    labelled: Sequence[LabelledText]
    unlabelled: Sequence[LabelledText]
    probabilities: NDArray[np.float64]
