from __future__ import annotations

import pytest
import torch

from foretext.base import runtime
from foretext.base.errors import SettingError
from foretext.training.memory import advised_on_memory, refuse_large_weights
from foretext.training.settings import TrainingConfig


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
