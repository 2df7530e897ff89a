"""Parameters stay the module's, whatever vector they live in."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from foretext.training.flat_parameters import FlatParameters


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(7, 5)
        self.inner = nn.Linear(5, 5)
        self.head = nn.Linear(5, 7)
        self.head.weight = self.tokens.weight
        self.frozen = nn.Parameter(torch.full((3,), 1 / 3), requires_grad=False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_values_and_ties_survive(dtype: torch.dtype) -> None:
    module = Tied()
    before = {name: p.detach().clone() for name, p in module.named_parameters()}
    flat = FlatParameters(module, dtype)
    assert module.head.weight is module.tokens.weight
    assert {p.dtype for p in module.parameters()} == {dtype}
    for name, parameter in module.named_parameters():
        torch.testing.assert_close(parameter.float(), before[name].to(dtype).float())
    for name, value in flat.values().items():
        assert torch.equal(value, before[name])
    flat.release()
    for name, parameter in module.named_parameters():
        assert torch.equal(parameter, before[name])


def test_what_decays() -> None:
    decays = {segment.name: segment.decays for segment in FlatParameters(Tied()).segments}
    assert decays == {
        "tokens.weight": True,
        "inner.weight": True,
        "inner.bias": False,
        "head.bias": False,
    }


def test_loaded_values_reach_masters_and_copies() -> None:
    first, second = Tied(), Tied()
    source = FlatParameters(first).values()
    flat = FlatParameters(second, torch.bfloat16)
    flat.load(source)
    assert torch.equal(second.inner.weight, first.inner.weight.bfloat16())
    assert torch.equal(flat.values()["inner.weight"], first.inner.weight)
    with pytest.raises(KeyError):
        flat.load({})


def test_parameters_begin_on_cache_lines() -> None:
    flat = FlatParameters(Tied(), torch.bfloat16)
    assert all(segment.parameter.data_ptr() % 64 == 0 for segment in flat.segments)
