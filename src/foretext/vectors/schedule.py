"""When a training ends, and how its learning rate falls until then."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from foretext.base.config import Config
from foretext.base.runtime import usable_cores
from foretext.vectors.slices import Slices

__all__ = ["CoolDown", "DescentConfig", "LinearDecay", "ProcessesConfig", "VectorsConfig"]

RECORDS = 50  # lines of metrics in a training, about
BUDGET_EPOCHS = 5  # what a budget is taken for when records are spread


class VectorsConfig(Config):
    """How long to train: settings of every kind of word vectors."""

    learns: ClassVar[Literal["words", "documents"]] = "words"  # what has vectors in the end

    epochs: int = Field(5, ge=1)
    """Passes over the text."""
    budget_seconds: float | None = Field(None, gt=0)
    """Wall-clock time of the training, in place of epochs."""
    workers: int = Field(default_factory=usable_cores, ge=1)
    """Threads; by default the usable cores."""
    seed: int = Field(1, ge=0, lt=2**31)
    """Of all random draws."""
    checkpoint_seconds: float = Field(60.0, ge=0)
    """Time between two checkpoints."""


class ProcessesConfig(VectorsConfig):
    """A further setting of what several processes can learn."""

    processes: int = Field(1, ge=1, le=1024)
    """Processes that learn together; they share the threads."""

    @property
    def threads(self) -> int:
        """Those of each process."""
        return max(self.workers // self.processes, 1)


class DescentConfig(VectorsConfig):
    """Further settings of a descent with a falling learning rate."""

    rate_name: ClassVar[str] = "alpha"  # the setting of the learning rate at the start

    min_alpha: float = Field(1e-4, ge=1e-8)
    """Learning rate at the end."""
    patience: int | None = Field(None, ge=1)
    """Early stopping: epochs without a lower held-out loss."""

    @property
    def threads(self) -> int:
        """How many of them will run."""
        return self.workers

    @property
    def ends_at_best(self) -> bool:
        """Whether the training ends with the weights of the lowest held-out loss."""
        return self.patience is not None or self.budget_seconds is not None


class CoolDown(NamedTuple):
    """The last epochs of a training that went past its best: the learning rate falls to its end."""

    first: int  # step
    last: int  # step after it
    rate: float  # of learning, at the first step
    began: float  # seconds of the training


class LinearDecay:
    """A learning rate that falls in a line, over words or, under a budget, over seconds.

    A training by words can have a limit of seconds too. What is done is then the larger share of
    the two, so that the rate is at its end whichever of them ends the training.

    Args:
        config: the user's settings.
        alpha: learning rate at the start.
        slices: of the text.
        limit: seconds that it may take at most; None: as many as the settings say.
    """

    def __init__(
        self, config: DescentConfig, alpha: float, slices: Slices, limit: float | None = None
    ) -> None:
        self.alpha = alpha
        self.min_alpha = config.min_alpha
        self.budget = config.budget_seconds
        self.slices = slices
        epochs = config.epochs if self.budget is None else BUDGET_EPOCHS
        self.num_steps = epochs * len(slices)
        self.record_every = max(self.num_steps // RECORDS, 1)
        self.unit = "words" if self.budget is None else "seconds"
        self._words = epochs * slices.num_tokens
        limits = [seconds for seconds in (self.budget, limit) if seconds is not None]
        self.limit = min(limits, default=None)
        self.cool_down: CoolDown | None = None  # from a step on, in place of the line

    @property
    def total(self) -> float:
        """Words or seconds of the whole training."""
        return float(self._words) if self.budget is None else self.limit or self.budget

    def rates(self, step: int, seconds: float) -> tuple[float, float]:
        """Learning rates at the start and the end of a step that begins now."""
        return self._rate(self._share(step, seconds)), self._rate(self._share(step + 1, seconds))

    def position(self, step: int) -> int:
        """Words of the text that come before a step, over all epochs."""
        epoch, slice_index = divmod(step, len(self.slices))
        return epoch * self.slices.num_tokens + self.slices.tokens_before(slice_index)

    def epoch(self, step: int) -> float:
        """How many times the text was walked before a step."""
        return self.position(step) / self.slices.num_tokens

    def finished(self, step: int, seconds: float) -> bool:
        """Whether nothing is left to do."""
        if self.cool_down is not None and step >= self.cool_down.last:
            return True
        return self.is_over(seconds) or (self.budget is None and step >= self.num_steps)

    def is_over(self, seconds: float) -> bool:
        """Whether the time is over, where it is limited."""
        return self.limit is not None and seconds >= self.limit

    def next_stop(self, step: int) -> int:
        """The first later step at which a record is due or an epoch ends."""
        every = (self.record_every, len(self.slices))
        return min((step // period + 1) * period for period in every)

    def _share(self, step: int, seconds: float) -> float:
        """How much of the training is done, from 0; the larger one of words and seconds."""
        if (cool_down := self.cool_down) is not None:
            share = (step - cool_down.first) / (cool_down.last - cool_down.first)
            if self.limit is None:
                return share
            left = max(self.limit - cool_down.began, 1e-3)
            return max(share, (seconds - cool_down.began) / left)
        of_words = 0.0 if self.budget is not None else self.position(step) / self._words
        return of_words if self.limit is None else max(of_words, seconds / self.limit)

    def _rate(self, share: float) -> float:
        alpha = self.alpha if self.cool_down is None else self.cool_down.rate
        return alpha + (self.min_alpha - alpha) * min(share, 1.0)
