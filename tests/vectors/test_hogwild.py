"""The loop of threads by a clock that the test moves: no real speed matters."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from foretext.progress import Progress, bar
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import BYTES_A_SECOND, Checkpoints
from foretext.progress.run_context import RunContext
from foretext.vectors import hogwild
from foretext.vectors.hogwild import NUM_SAVINGS, Hogwild
from foretext.vectors.schedule import DescentConfig, Learned, Slices

NUM_SENTENCES = 64 * 512


class Clock:
    """Shows what the work has set it to."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


class Learner:
    """Learns nothing: compiling takes 3 s, a slice 0.1 s, measuring 0.25 s."""

    alpha = 0.1

    def __init__(self, clock: Clock, num_bytes: int = 8) -> None:
        self.clock = clock
        self.slices = Slices.of_starts(np.arange(NUM_SENTENCES + 1))
        self.weights = np.zeros(num_bytes, np.uint8)
        self.rates: list[float] = []

    def compile(self) -> None:
        self.clock.now += 3.0

    def learn(
        self, slice_index: int, worker: int, rates: tuple[float, float], seed: int
    ) -> Learned:
        self.clock.now += 0.1
        self.rates.append(rates[0])
        return Learned(1.0, 1, 512)

    def held_out_loss(self) -> float | None:
        self.clock.now += 0.25
        return 1.0

    def arrays(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights}


def trained(
    folder: Path, limit: float | None, *, num_bytes: int = 8, keep: bool = False, **settings: object
) -> tuple[Learner, float]:
    """Train by one worker; returns the learner and the seconds of all."""
    clock = Clock()
    learner = Learner(clock, num_bytes)
    checkpoints = Checkpoints(folder) if keep else None
    budget = None if limit is None else Budget.started(limit, clock=clock)
    context = RunContext(folder, budget=budget, clock=clock, checkpoints=checkpoints)
    config = DescentConfig(workers=1, **settings)  # type: ignore[arg-type]
    began = clock.now
    Hogwild(learner, config, context).run()
    return learner, clock.now - began


def test_a_limit_holds_for_compiling_and_the_last_measurement(tmp_path: Path) -> None:
    learner, seconds = trained(tmp_path, 20.0, budget_seconds=20.0)
    assert seconds == pytest.approx(20.0, rel=0.05)
    assert learner.rates[-1] < 0.02 * learner.alpha  # the schedule came to its end


def test_a_budget_alone_is_that_of_the_learning(tmp_path: Path) -> None:
    _, seconds = trained(tmp_path, None, budget_seconds=20.0)
    assert seconds == pytest.approx(20.0 + 3.0 + 0.25, abs=0.3)


def test_the_limit_keeps_time_for_saving(tmp_path: Path) -> None:
    small, _ = trained(tmp_path / "small", 20.0, budget_seconds=20.0, keep=True)
    num_bytes = 1 << 20
    large, _ = trained(
        tmp_path / "large", 20.0, budget_seconds=20.0, keep=True, num_bytes=num_bytes
    )
    spared = 0.1 * (len(small.rates) - len(large.rates))
    assert spared == pytest.approx(NUM_SAVINGS * num_bytes / BYTES_A_SECOND, abs=0.11)


def test_epochs_end_by_a_limit_too_with_the_rate_at_its_end(tmp_path: Path) -> None:
    every, _ = trained(tmp_path, None, epochs=2)
    some, seconds = trained(tmp_path, 9.0, epochs=2)
    assert len(every.rates) == 128
    assert seconds < 9.5
    assert len(some.rates) < 64
    assert some.rates[-1] < 0.05 * some.alpha


def test_a_loose_limit_changes_no_rate(tmp_path: Path) -> None:
    assert trained(tmp_path, None, epochs=2)[0].rates == trained(tmp_path, 1e6, epochs=2)[0].rates


def test_a_round_ends_when_the_time_is_over(tmp_path: Path) -> None:
    clock = Clock()
    learner = Learner(clock)
    config = DescentConfig(workers=1, budget_seconds=0.35)
    state = Hogwild(learner, config, RunContext(tmp_path, clock=clock)).run()
    assert len(learner.rates) == state.step == 4  # not the 16 of a round


def test_learning_gets_a_tenth_at_least() -> None:
    learner, seconds = trained(Path(), 2.0, budget_seconds=2.0)  # compiling alone takes 3 s
    assert len(learner.rates) == 2
    assert seconds < 4


def test_one_slice_is_learned_however_short_the_time_is() -> None:
    learner, _ = trained(Path(), 1e-9, budget_seconds=1e-9)
    assert len(learner.rates) == 1


def test_measuring_is_no_part_of_the_speed_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, rates = Clock(), []
    monkeypatch.setattr(bar, "time", SimpleNamespace(monotonic=clock))

    class Watched(Progress):
        def advance(self, amount: float, **figures: float) -> None:
            super().advance(amount, **figures)
            rates.append(self.rate)

    monkeypatch.setattr(hogwild, "Progress", Watched)
    learner = Learner(clock)
    config = DescentConfig(workers=1, epochs=2)
    Hogwild(learner, config, RunContext(tmp_path, clock=clock)).run()
    assert rates == pytest.approx([512 / 0.1] * len(rates))


@pytest.mark.parametrize(
    "settings", [{"budget_seconds": 20.0, "patience": 2}, {"epochs": 2, "patience": 1}]
)
def test_the_held_out_loss_is_measured_once_for_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, float]
) -> None:
    measured: list[int] = []
    measure = Learner.held_out_loss

    def noting(learner: Learner) -> float | None:
        measured.append(len(learner.rates))
        return measure(learner)

    monkeypatch.setattr(Learner, "held_out_loss", noting)
    trained(tmp_path, settings.get("budget_seconds"), **settings)
    assert measured[0] == 0
    assert len(measured) > 2
    assert len({*measured}) == len(measured)
