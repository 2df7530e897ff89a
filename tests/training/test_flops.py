"""Operations of a step: as many as PyTorch's own counter sees."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from foretext.backbones.recurrent import Recurrent
from foretext.base import runtime
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.flops import ModelFlops, advised_on_memory, peak_flops, refuse_large_weights
from foretext.training.model import Model
from foretext.training.optimizer import freeze
from foretext.training.settings import TrainingConfig
from tests.networks import bert, gpt, random_inputs

L, D, T, B = 2, 32, 16, 3  # of the small networks and of the batch
COMPUTED_AGAIN = 2 * L * D * T * T * B  # by our attention: its scores, on the way back


def masked_batch(vocab_size: int) -> Batch:
    """Three rows, five tokens of which are asked, and three pairs."""
    inputs = random_inputs(vocab_size, (B, T))
    asked = torch.zeros(B, T, dtype=torch.bool)
    asked[:2, 2:4] = asked[2, 7] = True
    follows = torch.tensor([0, 1, 1])
    return Batch(inputs, {"masked": asked, "original": inputs.ids, "follows": follows})


def counted(model: Model, batch: Batch) -> int:
    """What PyTorch counts of a step's matrix products."""
    with FlopCounterMode(display=False) as counter:
        sum(score.loss for score in model(batch).values()).backward()
    return counter.get_total_flops()


def test_a_step_of_bert(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece, next_sentence=True)
    batch = masked_batch(wordpiece.vocab_size)
    flops = ModelFlops(model).of(batch, model.objective.counts(batch))
    assert flops + COMPUTED_AGAIN == counted(model, batch)


def test_a_step_of_gpt(byte_bpe: SubwordTokenizer) -> None:
    model = gpt(byte_bpe)
    ids = random_inputs(byte_bpe.vocab_size, (B, T)).ids
    batch = Batch(Inputs(ids, visibility="causal"), {"next": ids})
    flops = ModelFlops(model).of(batch, model.objective.counts(batch))
    assert flops + COMPUTED_AGAIN == counted(model, batch)


def test_padding_does_not_count(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    token_mask = torch.ones(B, T, dtype=torch.bool)
    token_mask[0, 4:] = False
    inputs = random_inputs(wordpiece.vocab_size, (B, T), token_mask=token_mask)
    counter = ModelFlops(model)
    found = counter.of(Batch(inputs), {"masked_lm": 0})
    blocks = sum(
        p.numel() for block in model.backbone.blocks for p in block.parameters() if p.dim() == 2
    )
    assert found == 6 * blocks * (4 + 2 * T) + 12 * L * D * (4 * 4 + 2 * T * T)


def test_frozen_layers_go_forwards_alone(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    whole = ModelFlops(model)
    freeze(model, TrainingConfig(freeze_layers=1))
    half = ModelFlops(model)
    (of_half,), (of_whole,) = half.networks, whole.networks
    assert of_half is not None
    assert of_whole is not None
    assert of_half.per_token * 3 == of_whole.per_token * 2  # (1/3 + 1) / 2
    assert of_half.per_pair * 3 == of_whole.per_pair * 2
    batch = masked_batch(wordpiece.vocab_size)
    head = half.of(batch, {"masked_lm": 5}) - half.of(batch, {"masked_lm": 0})
    assert head == 5 * 6 * (D * D + wordpiece.vocab_size * D)


def test_other_networks_are_not_counted(wordpiece: SubwordTokenizer) -> None:
    model = bert(wordpiece)
    model.backbone = Recurrent(Recurrent.Config(), wordpiece.vocab_size)
    counter = ModelFlops(model)
    assert not counter.holds
    assert counter.of(masked_batch(9), {"masked_lm": 3}) == 0


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_peak_is_measured_once(dtype: torch.dtype) -> None:
    peak = peak_flops(torch.device("cpu"), dtype, torch.get_num_threads())
    assert peak > 1e8  # less than any machine computes, even a busy one
    assert peak_flops(torch.device("cpu"), dtype, torch.get_num_threads()) == peak


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("could not create a primitive"),
    ],
)
def test_a_lack_of_memory_is_told_with_advice(error: Exception) -> None:
    with (
        pytest.raises(
            SettingError, match=r"not enough memory; lower .*micro_batch_examples, now 32"
        ),
        advised_on_memory(TrainingConfig()),
    ):
        raise error


@pytest.mark.parametrize(
    ("sharding", "advice"), [("none", "'optimizer' or 'full'"), ("optimizer", "= 'full'")]
)
def test_several_processes_can_share_more(sharding: str, advice: str) -> None:
    config = TrainingConfig.checked({"sharding": sharding}, "training")
    with (
        pytest.raises(SettingError, match=f"{advice} and go on with --resume"),
        advised_on_memory(config, 2, learned=True),
    ):
        raise MemoryError


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"micro_batch_examples": 1}, "memory; set training.gradient_checkpointing = true."),
        ({"gradient_checkpointing": True}, "now 32 (the result stays the same)."),
        (
            {"batch_examples": 1, "gradient_checkpointing": True},
            "memory; give shorter rows, or take a smaller network.",
        ),
    ],
)
def test_what_is_as_low_as_can_be_is_not_advised(settings: dict[str, Any], advice: str) -> None:
    config = TrainingConfig.checked(settings, "training")
    with pytest.raises(SettingError, match=re.escape(advice) + "$"), advised_on_memory(config):
        raise MemoryError


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match="shape"), advised_on_memory(TrainingConfig()):
        raise RuntimeError("a shape does not fit")


def test_weights_without_room_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, network = torch.device("cpu"), torch.nn.Linear(100, 100)
    monkeypatch.setattr(runtime, "free_memory", lambda: 12 * 10_100)
    refuse_large_weights(network, cpu, 1)
    with pytest.raises(SettingError, match=r"of 10,100 parameters needs .* lower backbone\.dim"):
        refuse_large_weights(network, cpu, 2)
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    refuse_large_weights(network, cpu, 2)  # nothing is learned
