"""What an answer is made of: numbers that words raise or lower, one for each label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError

__all__ = ["Array", "Values", "contrasted", "log_odds"]

Array = NDArray[np.float64]

_TINY = 1e-300  # a probability
_HALF_STEP = 1e-16  # from a probability to 1


class Values(NamedTuple):
    """What a model says of N inputs, in a form that words add to.

    The value of one of C labels is the log of its probability less the mean of those of the other
    labels, so of two labels the log of the odds. Where a text may have several labels, it is the
    log of the odds of each. Where answers are scores it is the score.
    """

    labels: tuple[str, ...]  # C; none of scores
    values: Array  # (N, C), (N, 1) of scores
    probabilities: Array | None  # (N, C); None of scores

    def chosen(self, label: str | None) -> int:
        """Return the column of a label; None: that of the most probable one of the first input.

        Raises:
            SettingError: there is no such label.
        """
        if label is None:
            return 0 if self.probabilities is None else int(self.probabilities[0].argmax())
        if label in self.labels:
            return self.labels.index(label)
        if not self.labels:
            raise SettingError(f"label = '{label}': this model gives scores; leave it out.")
        known = ", ".join(f"'{each}'" for each in self.labels[:20])
        raise SettingError(f"label = '{label}': the labels of this model are {known}.")

    def part(self, start: int, stop: int) -> Values:
        """Return the values of some of the inputs."""
        some = slice(start, stop)
        shares = None if self.probabilities is None else self.probabilities[some]
        return Values(self.labels, self.values[some], shares)


def contrasted(logits: Array, *, are_sets: bool) -> Array:
    """Return the values (N, C) of labels whose softmax, or sigmoid of sets, is the probability."""
    num_labels = logits.shape[1]
    if are_sets or num_labels < 2:
        return logits
    found: Array = (logits - logits.mean(1, keepdims=True)) * (num_labels / (num_labels - 1))
    return found


def log_odds(probabilities: Array, *, are_sets: bool) -> Array:
    """Return the values (N, C) of labels with these probabilities."""
    if are_sets:
        inside = np.clip(probabilities, _TINY, 1 - _HALF_STEP)
        odds: Array = np.log(inside) - np.log1p(-inside)
        return odds
    return contrasted(np.log(np.maximum(probabilities, _TINY)), are_sets=False)
