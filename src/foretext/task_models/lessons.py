"""What a teacher says of rows, for another model to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.rows import LabelledText

__all__ = ["Lessons", "Teaching"]


class Teaching(NamedTuple):
    """How much a teacher counts."""

    weight: float  # of its answers in the loss, from 0 to 1; the labels have the rest
    temperature: float  # that softens its answers


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

    @property
    def texts(self) -> list[str]:
        """N + U."""
        return [row.text for row in (*self.labelled, *self.unlabelled)]
