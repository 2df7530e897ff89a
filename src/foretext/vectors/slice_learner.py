"""A model that learns from slices of a text, and what a slice has given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, Self

import numpy as np

from foretext.vectors.slices import Slices

__all__ = ["Learned", "SliceLearner"]


class Learned(NamedTuple):
    """What learning one slice gave."""

    loss: float  # sum over the predictions
    predictions: int
    words: int

    @classmethod
    def summed(cls, parts: Iterable[Sequence[float]]) -> Self:
        """Return what all parts gave, added in their order."""
        loss, predictions, words = (sum(column) for column in zip(*parts, strict=True))
        return cls(loss, int(predictions), int(words))


class SliceLearner(Protocol):
    """A model that learns from slices of a text."""

    slices: Slices
    alpha: float  # learning rate at the start

    def compile(self) -> None:
        """Have the machine code ready, so that making it is not taken for learning."""

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        """Learn one slice in place, letting go of the GIL."""

    def held_out_loss(self) -> float | None:
        """Return the mean loss of the held-out predictions, or None when nothing is held out."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything that learning changes; a resumed run writes into these arrays."""
