"""Words with weights, as every method finds them, before they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.tasks.explanation.values import Values
from foretext.tasks.explanation.words import Place, Texts

__all__ = ["Asked", "Weighed"]


class Asked(NamedTuple):
    """What is to be explained: the answers to N inputs."""

    inputs: Sequence[Texts]
    places: Sequence[Sequence[Place]]  # the words of each input
    label: str | None  # None: of each input the most probable one


class Weighed(NamedTuple):
    """The words of one input and what each adds to the value of a label; see `Explanation`."""

    label: str | None
    probability: float | None
    value: float
    base: float  # the value without any word
    places: Sequence[Place]
    weights: NDArray[np.float64]  # one a place
    num_predictions: int

    @classmethod
    def of(
        cls,
        answer: Values,
        column: int,
        base: float,
        places: Sequence[Place],
        weights: NDArray[np.float64],
        num_predictions: int = 1,
    ) -> Self:
        """Put weights beside the answer to one input; `column` is the place of the label."""
        label, probability = None, None
        if answer.probabilities is not None:
            label, probability = answer.labels[column], float(answer.probabilities[0, column])
        value = float(answer.values[0, column])
        return cls(label, probability, value, float(base), places, weights, num_predictions)
