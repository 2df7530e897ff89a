"""How long a training takes, and its learning rate at each step."""

from __future__ import annotations

import math

from foretext.training.settings import TrainingConfig

__all__ = ["Schedule"]

VALIDATIONS = 20  # in a training, unless it says otherwise
BUDGET_INTERVAL = 1 / VALIDATIONS  # of a budget, between two


class Schedule:
    """Steps or, under a budget, seconds, from 0 to 1; and the learning rate there.

    Args:
        config: the user's settings.
        steps_per_epoch: of the examples.
    """

    def __init__(self, config: TrainingConfig, steps_per_epoch: int) -> None:
        self.config = config
        self.steps_per_epoch = steps_per_epoch
        self.budget = config.budget_seconds
        self.num_steps = config.steps or max(1, math.ceil(config.epochs * steps_per_epoch))
        self.unit = "steps" if self.budget is None else "seconds"
        self.total = float(self.num_steps) if self.budget is None else self.budget

    def done(self, step: int, seconds: float) -> float:
        """Return the steps or seconds that are done, at most `total`."""
        return min(float(step) if self.budget is None else seconds, self.total)

    def finished(self, step: int, seconds: float) -> bool:
        """Whether nothing is left to do."""
        return self.done(step, seconds) >= self.total

    def learning_rate(self, step: int, seconds: float) -> float:
        """Return the rate of the step that comes next."""
        config = self.config
        done = self.done(step + 1 if self.budget is None else step, seconds) / self.total
        if done < config.warmup_rate:
            return config.learning_rate * max(done, 1e-3) / config.warmup_rate
        return config.learning_rate * self._share(done)

    def validates(self, step: int, seconds: float, last: float) -> bool:
        """Whether a held-out loss is due; `last` is what was `done` at the one before."""
        if self.config.valid_steps is not None:
            return step % self.config.valid_steps == 0
        return self.done(step, seconds) - last >= self.total * BUDGET_INTERVAL

    def _share(self, done: float) -> float:
        """Share of the highest rate, after the warm-up."""
        config = self.config
        fallen = (done - config.warmup_rate) / (1 - config.warmup_rate)  # 0 to 1
        if config.schedule == "linear":
            share = 1 - fallen
        elif config.schedule == "cosine":
            share = (1 + math.cos(math.pi * fallen)) / 2
        elif config.schedule == "inverse_sqrt":
            return max(math.sqrt(max(config.warmup_rate, 0.01) / done), config.final_rate)
        else:
            return 1.0
        return config.final_rate + (1 - config.final_rate) * share
