"""Records of a training: what is told when nothing happened since the one before."""

from __future__ import annotations

from pathlib import Path

import torch

from foretext.nn.vocabulary_head import Score
from foretext.progress.workplace import Workplace
from foretext.training.processes import Processes
from foretext.training.records import Records
from foretext.training.schedule import Schedule
from foretext.training.settings import TrainingConfig
from foretext.training.state import State


def test_a_step_that_is_measured_later_keeps_its_loss() -> None:
    schedule = Schedule(TrainingConfig(steps=10), steps_per_epoch=5)
    processes = Processes(torch.device("cpu"), alone=True)
    records = Records(schedule, Workplace(Path()), processes)
    state = State(step=5, tokens=100, seconds=2.0, gradient_norm=1.5)
    records.tally.count({"words": 4})
    records.tally.add({"words": Score(torch.tensor(8.0), torch.tensor(1))})
    records.add(state, {})
    state.seconds = 3.0
    records.add(state, {"valid_loss": 1.25})
    first, second = state.history
    assert (first["loss"], first["words_accuracy"]) == (2.0, 0.25)
    assert second == {**first, "time": 3.0, "valid_loss": 1.25}
