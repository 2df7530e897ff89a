"""What is asked about a backbone's states: the base of every objective and of every task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from torch import nn

from foretext.backbones.base import States
from foretext.data.batch import Batch, Visibility
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.nn.vocabulary_head import Score

__all__ = ["Criterion", "Objective"]


class Criterion(nn.Module, ABC):
    """Scores states against right answers. It may have parts, each with a score of its own.

    The loss of a step is the sum over the parts of the mean loss of that part's predictions, the
    mean being taken over the whole step, however it is spread over processes.
    """

    visibility: Visibility  # what its inputs ask of the backbone

    @abstractmethod
    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predictions of each part."""

    @abstractmethod
    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Return the summed loss and the right answers of each part."""


class Objective(Criterion):
    """A question that a text answers by itself: it makes its examples of any text."""

    loss_law: ClassVar[str | None] = None  # of `foretext.plan.forecast`; None: no forecast is known

    def start_from(self, other: Objective) -> None:
        """Take over the weights of another one's heads, as far as both have such heads."""
        own, theirs = self.state_dict(), other.state_dict()
        shared = [name for name in own if name in theirs and own[name].shape == theirs[name].shape]
        self.load_state_dict({**own, **{name: theirs[name] for name in shared}})

    @abstractmethod
    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Make examples of a text to learn from, or of one to be judged by."""
