"""A batch that will hardly fit in memory is named before it is computed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from foretext.data.batch import Batch, Inputs
from foretext.training import activations
from foretext.training.activations import ActivationForecast, activation_bytes
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

CPU = torch.device("cpu")
LAYERS, WIDTH = 12, 768


def batch_of(rows: int, length: int) -> Batch:
    return Batch(Inputs(torch.zeros(rows, length, dtype=torch.int64)))


def forecast(device: torch.device = CPU, **settings: Any) -> ActivationForecast:
    model = cast(Model, SimpleNamespace(backbone=SimpleNamespace(num_layers=LAYERS, dim=WIDTH)))
    return ActivationForecast(model, TrainingConfig(**settings), torch.float32, device)


@pytest.fixture(autouse=True)
def free(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much memory as 2,000 tokens take."""
    enough = activation_bytes(LAYERS, WIDTH, 2000, torch.float32)
    monkeypatch.setattr(activations, "free_memory_share", lambda: enough)


def test_the_largest_batch_is_named_once_with_the_setting_to_lower() -> None:
    watched = forecast()
    assert watched.add(batch_of(15, 128)) is None
    said = str(watched.add(batch_of(16, 128)))
    assert "16 examples, 2,048 tokens, needs about 1.4 GB" in said
    assert "set training.micro_batch_examples=8 or less" in said
    assert watched.add(batch_of(32, 128)) is None


def test_what_the_sentence_advises_helps() -> None:
    assert forecast(micro_batch_examples=8).add(batch_of(16, 128)) is None
    assert forecast(gradient_checkpointing=True).add(batch_of(16, 128)) is None


def test_a_single_long_row_cannot_be_cut() -> None:
    said = str(forecast().add(batch_of(1, 3000)))
    assert "micro_batch" not in said
    assert "; set training.gradient_checkpointing=true" in said


def test_nothing_is_said_of_gpus_and_of_frozen_backbones() -> None:
    assert forecast(torch.device("cuda")).add(batch_of(99, 128)) is None
    assert forecast(freeze="backbone").add(batch_of(99, 128)) is None


def test_nothing_is_said_of_an_autoencoder_which_reads_no_tokens() -> None:
    values = torch.zeros(99, 4000)
    inputs = Inputs(torch.zeros(99, 1, dtype=torch.int64), values=values)
    assert forecast().add(Batch(inputs)) is None
