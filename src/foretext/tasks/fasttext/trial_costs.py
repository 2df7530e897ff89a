"""How long a trial of a search takes: estimated from the trials before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.tasks.fasttext.config import ResolvedConfig

__all__ = ["TrialCosts"]

MEASURING = 0.5  # of the time beside learning, about
LEAST = 1e-3  # seconds, and epochs, that a training is taken to have


class TrialCosts:
    """Seconds of an epoch, and of all that a trial does beside learning, for a unit of cost."""

    def __init__(self) -> None:
        self._epoch = 0.0  # of the last trial, as a unit
        self._beside = 0.0  # of the slowest: counting features, drawing rows, measuring

    def learn(self, config: ResolvedConfig, last: Mapping[str, Any], seconds: float) -> None:
        """Take note of a trial.

        Args:
            config: its settings.
            last: the last record of its training.
            seconds: of the whole trial.
        """
        learning = max(last["time"], LEAST)
        self._epoch = learning / (max(last["epoch"], LEAST) * _epoch_cost(config))
        beside = (seconds - last["time"]) / _cost_beside(config)
        self._beside = max(self._beside, beside)

    def training(self, config: ResolvedConfig, left: float) -> float:
        """Return the seconds that preparing and learning may take, before measuring."""
        return max(left - MEASURING * self._beside * _cost_beside(config), 1e-3)

    def fits(self, config: ResolvedConfig, left: float) -> bool:
        """Whether there is time for one epoch."""
        one = self._epoch * _epoch_cost(config)
        return one + self._beside * _cost_beside(config) <= left

    def affordable(self, config: ResolvedConfig, left: float) -> ResolvedConfig:
        """Return the settings with as many epochs as there is time for."""
        seconds = left - self._beside * _cost_beside(config)
        most = int(seconds / (self._epoch * _epoch_cost(config)))
        return config.model_copy(update={"epochs": max(1, min(config.epochs, most))})


def _epoch_cost(config: ResolvedConfig) -> float:
    """Rows of a word times numbers of a row, about."""
    return _cost_beside(config) * (config.dim + 16)


def _cost_beside(config: ResolvedConfig) -> float:
    """Rows of a word, about."""
    return config.word_ngrams + 2 * config.maxn
