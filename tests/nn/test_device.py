"""Which numbers a processor computes with."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from foretext.base.errors import SettingError
from foretext.nn import precision
from foretext.nn.device import Pace, choose_device
from foretext.nn.precision import choose_dtype

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    precision._has_bfloat16.cache_clear()
    yield
    precision._has_bfloat16.cache_clear()


@pytest.mark.parametrize(("native", "dtype"), [(True, torch.bfloat16), (False, torch.float32)])
def test_auto_is_bfloat16_where_the_processor_has_it(
    monkeypatch: pytest.MonkeyPatch, native: bool, dtype: torch.dtype
) -> None:
    """AVX-512 alone does not suffice, whatever oneDNN says that it supports."""
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(torch.cpu, "_is_avx512_supported", lambda: True)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: native)
    assert choose_dtype("auto", CPU) is dtype


def test_what_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    assert choose_dtype("bf16", CPU) is torch.bfloat16
    assert choose_dtype("fp32", CPU) is torch.float32


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.setenv(name, "3")


@pytest.mark.usefixtures("two_gpus")
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("name", ["auto", "cuda"])
def test_each_process_of_a_machine_has_a_gpu_of_its_own(
    monkeypatch: pytest.MonkeyPatch, name: Any, place: int
) -> None:
    monkeypatch.setenv("LOCAL_RANK", str(place))
    assert choose_device(name) == torch.device("cuda", place)
    assert choose_device("cpu") == CPU


@pytest.mark.usefixtures("two_gpus")
def test_more_processes_than_gpus_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(SettingError, match=r"started 3 processes .* has 2 GPUs; give it --nproc"):
        choose_device()


@pytest.mark.usefixtures("two_gpus")
def test_one_process_takes_the_device_that_pytorch_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert choose_device() == torch.device("cuda")


def test_a_gpu_is_one_step_behind_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, int]] = []

    class Event:
        def __init__(self) -> None:
            self.number = len({number for _, number in said})

        def record(self) -> None:
            said.append(("began", self.number))

        def synchronize(self) -> None:
            said.append(("waited", self.number))

    monkeypatch.setattr(torch.cuda, "Event", Event)
    pace = Pace(torch.device("cuda"))
    for _ in range(3):
        pace.wait()
    waited = [("began", 1), ("waited", 0), ("began", 2), ("waited", 1)]
    assert said == [("began", 0), *waited]


def test_a_processor_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "Event", None)
    Pace(CPU).wait()
