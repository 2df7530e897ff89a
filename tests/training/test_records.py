"""Records of a training: when one is due, and what it says of the steps since the one before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
import torch
from torch import Tensor

from foretext.nn.vocabulary_head import Score
from foretext.progress.run_context import RunContext
from foretext.training.processes import Processes
from foretext.training.records import Records, Tally
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


class Twins:
    """Two processes that found the same."""

    device = torch.device("cpu")

    def sum(self, tensors: list[Tensor]) -> None:
        for tensor in tensors:
            tensor.mul_(2)


TWINS = cast(Processes, Twins())


def tally() -> Tally:
    found = Tally()
    found.count({"words": 4, "pairs": 2, "never": 0})
    found.add({"words": Score(torch.tensor(3.0), torch.tensor(1))})
    found.add({"pairs": Score(torch.tensor(0.7)), "words": Score(torch.tensor(1.0))})
    return found


def test_figures() -> None:
    pairs = float(torch.tensor(0.7)) / 2
    assert tally().figures("valid_") == {
        "valid_loss": 1.0 + pairs,
        "valid_words_loss": 1.0,
        "valid_pairs_loss": pairs,
        "valid_words_accuracy": 0.25,
    }


def test_a_total_leaves_the_shares_as_they_are() -> None:
    found = tally()
    total = found.total(TWINS).figures()
    assert total["words_loss"] == 2.0
    assert total["words_accuracy"] == 0.5
    assert found.figures() == tally().figures()


def test_a_resumed_tally_gives_the_same_figures() -> None:
    resumed = Tally()
    resumed.load_state(tally().state(), share=True)
    unbroken = tally()
    for each in (resumed, unbroken):
        each.count({"words": 3})
        each.add({"words": Score(torch.tensor(1 / 3), torch.tensor(2))})
    assert resumed.figures() == unbroken.figures()


def weighted() -> Tally:
    """Three of four are right, and so is the majority answer."""
    found = Tally()
    found.count({"words": 2, "kinds": 4})
    right = torch.tensor(3)
    score = Score(torch.tensor(2.0), right, num_majority=right, weight=10.0)
    found.add({"words": Score(torch.tensor(1.0)), "kinds": score})
    return found


def test_parts_are_weighed_in_the_sum_alone() -> None:
    figures = weighted().figures()
    assert figures == {
        "loss": 0.5 + 10 * 0.5,
        "words_loss": 0.5,
        "kinds_loss": 0.5,
        "kinds_accuracy": 0.75,
        "kinds_majority_accuracy": 0.75,
    }
    resumed = Tally()
    resumed.load_state(weighted().state(), share=True)
    assert resumed.figures() == figures
    assert weighted().total(TWINS).figures()["kinds_majority_accuracy"] == 1.5  # of both
    assert Score(torch.tensor(2.0), weight=10.0).part_of_loss(4) == 5


def test_losses_are_taken_up_by_one_process_alone() -> None:
    other = Tally()
    other.load_state(tally().state(), share=False)
    assert other.figures()["loss"] == 0.0
    other.count({"words": 4})
    assert other.state()["counts"]["words"] == 8  # counts are of the whole
