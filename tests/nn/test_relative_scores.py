"""The part of scores that depends on distances: by kernel and by gather."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn import relative_scores as module
from foretext.nn.relative_scores import Distances, relative_scores

H, B, T = 2, 3, 6


def inputs(num_keys: int, dtype: torch.dtype, *, segments: bool) -> tuple[list[Tensor], Distances]:
    torch.manual_seed(0)
    positions = torch.randint(num_keys + 1, (B, T))
    differs = torch.rand(B, T, num_keys) < 0.3 if segments else None
    scores = torch.randn(H, B, T, Distances.num_columns(num_keys)).to(dtype).requires_grad_()
    deltas = [torch.randn(H, B, T).to(dtype).requires_grad_()] if segments else []
    return [scores, *deltas], Distances.between(positions, num_keys, differs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("segments", [True, False])
@pytest.mark.parametrize("num_keys", [16, 13])
def test_both_ways_are_equal(num_keys: int, segments: bool, dtype: torch.dtype) -> None:
    tensors, distances = inputs(num_keys, dtype, segments=segments)
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    given = (*tensors, None)[:2], (*exact, None)[:2]
    ours = relative_scores(*given[0], distances, 0.3)
    theirs = module._gathered(*given[1], distances, 0.3)
    assert ours.shape == (B, H, T, num_keys)
    torch.testing.assert_close(ours.double(), theirs, rtol=1e-6, atol=1e-6)
    weights = torch.randn(ours.shape)
    near = {"rtol": 1e-5, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 0.01, "atol": 0.01}
    mine = torch.autograd.grad((ours * weights).sum(), tensors)
    other = torch.autograd.grad((theirs * weights).sum(), exact)
    for a, b in zip(mine, other, strict=True):
        assert a.dtype == dtype
        torch.testing.assert_close(a.double(), b, **near)


def test_a_query_shared_by_all_texts() -> None:
    tensors, _ = inputs(16, torch.float32, segments=False)
    positions = torch.arange(T)[None]
    shared = relative_scores(tensors[0], None, Distances.between(positions, 16), 1.0)
    each = relative_scores(tensors[0], None, Distances.between(positions.expand(B, T), 16), 1.0)
    assert torch.equal(shared, each)


def test_a_query_beyond_the_table_is_refused() -> None:
    tensors, _ = inputs(16, torch.float32, segments=False)
    with pytest.raises(AssertionError, match="first columns"):
        relative_scores(tensors[0], None, Distances.between(torch.full((B, T), 17), 16), 1.0)
