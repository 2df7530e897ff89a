"""The time of a search, by a clock that the tests set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from foretext.finetuning.learner import Tell
from foretext.finetuning.trials import search_trials
from foretext.progress.budget import Budget
from foretext.training.settings import TrainingConfig

pytest.importorskip("optuna")


class Trials(Tell):
    """Trainings of a certain length, which end in time when they have less."""

    def __init__(self, whole: float) -> None:
        self.whole, self.now = whole, 50.0
        self.times: list[float] = []
        self.told: list[dict[str, Any]] = []

    def clock(self) -> float:
        return self.now

    def score(self, settings: Mapping[str, Mapping[str, Any]], time: Budget, /) -> float | None:
        took = min(self.whole, time.left)
        self.times.append(took)
        self.now += took
        return 1.0 / settings["training"]["learning_rate"]

    def __call__(self, trial: dict[str, Any], /) -> None:
        self.told.append(trial)


@pytest.mark.parametrize(
    ("whole", "fewest", "most"),
    [(1.0, 58, 61), (7.0, 8, 9), (11.0, 5, 6), (12.0, 5, 5), (500.0, 5, 5)],
)
def test_a_search_takes_its_time(whole: float, fewest: int, most: int) -> None:
    trials = Trials(whole)
    budget = Budget.started(60.0, clock=trials.clock)
    found = search_trials({"learning_rate"}, TrainingConfig(), budget, trials.score, trials)
    assert fewest <= found.trials == len(trials.told) <= most
    assert 60.0 - whole / 2 <= budget.elapsed <= 60.0
    assert max(trials.times) <= 12.0 + 1e-9
    assert found.score == max(trial["score"] for trial in trials.told)


def test_a_time_that_is_over_has_one_trial() -> None:
    trials = Trials(5.0)
    budget = Budget.started(10.0, used=20.0, clock=trials.clock)
    assert search_trials(
        {"learning_rate"}, TrainingConfig(), budget, trials.score, trials
    ).trials == 1  # fmt: skip
