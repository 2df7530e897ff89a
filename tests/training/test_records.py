"""Records of a training: when one is due, and what it says of the steps since the one before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch

from foretext.nn.vocabulary_head import Score
from foretext.progress.run_context import RunContext
from foretext.training.processes import Processes
from foretext.training.records import Records
from foretext.training.schedule import Schedule
from foretext.training.settings import TrainingConfig
from foretext.training.state import TrainingState


def records_of(config: TrainingConfig, *, validates: bool = True) -> Records:
    processes = Processes(torch.device("cpu"), alone=True)
    schedule = Schedule(config, steps_per_epoch=5)
    return Records(schedule, RunContext(Path()), processes, 1e6, validates=validates)


def test_a_step_that_is_measured_later_keeps_its_loss() -> None:
    records = records_of(TrainingConfig(steps=10))
    state = TrainingState(step=5, tokens=100, seconds=2.0, gradient_norm=1.5)
    records.tally.count({"words": 4})
    records.tally.add({"words": Score(torch.tensor(8.0), torch.tensor(1))})
    records.add(state, {})
    state.seconds = 3.0
    records.add(state, {"valid_loss": 1.25})
    first, second = state.history
    assert (first["loss"], first["words_accuracy"]) == (2.0, 0.25)
    assert second == {**first, "time": 3.0, "valid_loss": 1.25}


def test_the_speed_is_that_of_the_steps_alone() -> None:
    records = records_of(TrainingConfig(steps=10))
    state = TrainingState(step=5, tokens=100, flops=400_000, seconds=9.0, learning=0.5)
    records.tally.count({"words": 4})
    records.tally.add({"words": Score(torch.tensor(8.0), torch.tensor(1))})
    records.add(state, {"valid_loss": 1.25})
    record = state.history[-1]
    assert (record["time"], record["tokens_per_second"], record["mfu"]) == (9.0, 200, 0.8)
    assert state.learning == 0.0


def steps_of_records(records: Records, step_seconds: float) -> list[tuple[int, bool]]:
    """The step of each record, and whether a validation made it, by the rules of the loop."""
    state, schedule = TrainingState(), records.schedule
    while not schedule.finished(state.step, state.seconds):
        state.step, state.seconds = state.step + 1, state.seconds + step_seconds
        validates = records.validates and schedule.validates(
            state.step, state.seconds, state.validated
        )
        if validates:
            state.validated = schedule.done(state.step, state.seconds)
        if validates or records.due(state):
            figures = {"step": state.step, "time": state.seconds, "validates": validates}
            state.history.append(figures)
    if not state.history or state.history[-1]["step"] < state.step:
        state.history.append({"step": state.step, "validates": records.validates})
    return [(record["step"], record["validates"]) for record in state.history]


@pytest.mark.parametrize(
    ("settings", "step_seconds", "interval"),
    [
        ({"steps": 1050}, 0.1, 5),  # a validation after 53 steps
        ({"steps": 2013}, 0.1, 10),
        ({"steps": 2013, "valid_steps": 37}, 0.1, 10),
        ({"steps": 150}, 1.0, 5),  # so few that seconds count
        ({"steps": 150, "valid_steps": 7}, 1.0, 5),
        ({"budget_seconds": 231.0}, 0.1, 50),
        ({"budget_seconds": 231.0, "valid_steps": 72}, 0.1, 50),
    ],
)
@pytest.mark.parametrize("validates", [True, False])
def test_no_two_records_are_close_together(
    settings: dict[str, float], step_seconds: float, interval: int, validates: bool
) -> None:
    records = records_of(TrainingConfig(**settings), validates=validates)
    found = steps_of_records(records, step_seconds)
    steps = [step for step, _ in found]
    gaps = [after - before for before, after in pairwise(steps)]
    measured = {step for step, by_validation in found if by_validation}
    between = [gap for gap, step in zip(gaps, steps[1:], strict=True) if step != steps[-1]]
    assert min(between) > interval // 2
    assert max(gaps) <= interval + interval // 2 + 1
    assert all(
        gap >= interval
        for gap, step in zip(gaps, steps[1:], strict=True)
        if step not in measured and step != steps[-1]
    )
    assert len(set(steps)) == len(steps)
