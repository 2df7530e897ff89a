"""A batch that will hardly fit in memory is named before it is computed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from foretext.backbones.deberta import Deberta
from foretext.backbones.transformer import Transformer
from foretext.backbones.xlnet import XLNet
from foretext.data.batch import Batch, Inputs
from foretext.nn.crf import CRF
from foretext.training import activations
from foretext.training.activations import ActivationForecast, activation_bytes, score_bytes
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

CPU = torch.device("cpu")
LAYERS, WIDTH = 12, 768


def batch_of(rows: int, length: int) -> Batch:
    return Batch(Inputs(torch.zeros(rows, length, dtype=torch.int64)))


class Network(SimpleNamespace):
    num_layers, dim, per_pair = LAYERS, WIDTH, 0

    def pair_bytes(self, itemsize: int) -> int:
        return self.per_pair


class Scorer(SimpleNamespace):
    per_position, lighter = 0, "task.crf=false"

    def table_bytes(self, num_positions: int) -> int:
        return self.per_position * num_positions


def forecast(
    device: torch.device = CPU, per_pair: int = 0, per_position: int = 0, **settings: Any
) -> ActivationForecast:
    parts = Network(per_pair=per_pair), Scorer(per_position=per_position)
    model = cast(Model, SimpleNamespace(backbone=parts[0], objective=parts[1]))
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


def test_scores_of_pairs_and_tables_of_tags_count() -> None:
    assert forecast().add(batch_of(10, 128)) is None
    said = str(forecast(per_pair=4 * 4 * LAYERS).add(batch_of(1, 1900)))
    assert "1,900 tokens, needs about 2.0 GB of memory for its activations, and" in said
    said = str(forecast(per_position=600_000).add(batch_of(10, 128)))
    assert "needs about 1.6 GB of memory for its activations and tables" in said
    assert said.endswith(", or set training.gradient_checkpointing=true")


def test_where_tables_take_the_memory_the_setting_without_them_is_named() -> None:
    crowded = {"per_position": 9_000_000, "freeze": "backbone"}
    said = str(forecast(**crowded).add(batch_of(1, 1000)))
    assert "9.0 GB of memory for its activations and tables" in said
    assert said.endswith("GB are free; set task.crf=false")
    assert forecast(**crowded).add(batch_of(1, 100)) is None


MEASURED = [  # MB of a forward and a backward pass above what there was, on one thread
    (Deberta, 8, 512, 4, {}, 535), (Deberta, 4, 1024, 8, {}, 1283),
    (XLNet, 8, 512, 8, {}, 801), (XLNet, 4, 1024, 4, {}, 751),
    (Transformer, 8, 512, 4, {}, 176), (Transformer, 4, 1024, 8, {"attention_dropout": 0.1}, 1980),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "rows", "length", "layers", "settings", "measured"), MEASURED)
def test_what_was_measured_is_fotranslated(
    kind: Any, rows: int, length: int, layers: int, settings: dict[str, float], measured: int
) -> None:
    config = kind.Config(dim=128, num_heads=4, num_layers=layers, max_length=length, **settings)
    network = kind(config, 100)
    states = activation_bytes(layers, 128, rows * length, torch.float32)
    found = (states + score_bytes(network, rows, length, torch.float32)) / (1 << 20)
    assert found == pytest.approx(measured, rel=0.15)


@pytest.mark.parametrize(
    ("tokens", "tags", "measured"),
    [(32 * 512, 200, 94), (16 * 64, 1000, 181), (16 * 32, 2000, 639), (64 * 256, 300, 147)],
)
def test_tables_of_a_crf_are_fotranslated(tokens: int, tags: int, measured: int) -> None:
    assert CRF(tags).table_bytes(tokens) / (1 << 20) == pytest.approx(measured, rel=0.15)
