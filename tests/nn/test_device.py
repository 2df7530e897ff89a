"""Which numbers a processor computes with."""

from __future__ import annotations

import platform
from collections.abc import Iterator

import pytest
import torch

from foretext.nn import device
from foretext.nn.device import choose_dtype

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    device._has_bfloat16.cache_clear()
    yield
    device._has_bfloat16.cache_clear()


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
