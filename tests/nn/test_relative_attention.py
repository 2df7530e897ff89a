"""Relative attention against the formula of the papers, written out."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from foretext.nn import relative_attention as module
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.relative_attention import (
    Distances,
    RelativeAttention,
    RelativeLayout,
    distance_table,
    relative_scores,
)

B, S, D, H = 2, 13, 8, 2
MAX = 20

RELATIVE_H, RELATIVE_B, T = 2, 3, 6


def sinusoid(distance: int) -> Tensor:
    angles = [distance * 10_000 ** (-2 * i / D) for i in range(D // 2)]
    return torch.tensor([*map(math.sin, angles), *map(math.cos, angles)])


def attention() -> RelativeAttention:
    torch.manual_seed(0)
    made = RelativeAttention(D, H, dropout=0.0)
    for weight in made.parameters():
        torch.nn.init.normal_(weight)
    return made


def layout(positions: Tensor, segments: Tensor | None, mask: AttentionMask) -> RelativeLayout:
    differs = None if segments is None else segments[:, :, None] != segments[:, None, :S]
    table = distance_table(MAX, D)[MAX - S :][: Distances.num_columns(S)]
    return RelativeLayout(mask, Distances.between(positions, S, differs), table)


def written_out(
    made: RelativeAttention, x: Tensor, positions: Tensor, segments: Tensor | None, visible: Tensor
) -> Tensor:
    """Query by query, key by key, head by head."""
    d = D // H
    result = torch.zeros(x.shape)
    query, key, value = made.query_key_value.weight.chunk(3)
    for b in range(len(x)):
        for i in range(x.shape[1]):
            mixed = []
            for h in range(H):
                part = slice(h * d, (h + 1) * d)
                q = query[part] @ x[b, i]
                scores = []
                for j in range(S):
                    r = made.distance.weight[part] @ sinusoid(int(positions[b, i]) - j)
                    score = (q + made.content_bias[h]) @ (key[part] @ x[b, j])
                    score = score + (q + made.distance_bias[h]) @ r
                    if segments is not None:
                        other = int(segments[b, i] != segments[b, j])
                        s = made.segments[other, h]
                        score = score + (q + made.segment_bias[h]) @ s
                    scores.append(score / math.sqrt(d) if visible[b, i, j] else -math.inf)
                shares = torch.stack([torch.as_tensor(s) for s in scores]).softmax(0)
                mixed.append(shares @ (x[b, :S] @ value[part].T))
            result[b, i] = made.output(torch.cat(mixed))
    return result


@pytest.mark.parametrize("learns", [True, False])
@pytest.mark.parametrize("has_segments", [True, False])
@pytest.mark.parametrize("num_queries", [0, 3])
def test_it_is_the_formula(num_queries: int, has_segments: bool, learns: bool) -> None:
    made, T = attention(), S + num_queries
    x = torch.randn(B, T, D)
    positions = torch.cat([torch.arange(S).expand(B, S), torch.randint(S, (B, num_queries))], 1)
    segments = torch.randint(3, (B, T)) if has_segments else None
    visible = torch.rand(B, T, S) < 0.6
    visible[..., 0] = True
    mask = AttentionMask(visible[:, None], num_queries=num_queries)
    with torch.set_grad_enabled(learns):
        found = made(x, layout(positions, segments, mask))
    with torch.no_grad():
        expected = written_out(made, x, positions, segments, visible)
    torch.testing.assert_close(found.detach(), expected, rtol=1e-4, atol=1e-4)


def test_weights_are_those_that_it_mixes_by() -> None:
    made, x = attention(), torch.randn(B, S, D)
    mask = AttentionMask(torch.ones(1, 1, S, S, dtype=torch.bool).tril())
    where = layout(torch.arange(S)[None], None, mask)
    weights = made.weights(x, where)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, S))
    assert not weights.triu(1).any()
    value = made.query_key_value(x)[..., 2 * D :].view(B, S, H, -1).transpose(1, 2)
    mixed = made.output((weights @ value).transpose(1, 2).flatten(2))
    torch.testing.assert_close(made(x, where), mixed, rtol=1e-4, atol=1e-5)


def test_every_weight_gets_a_gradient() -> None:
    made, x = attention(), torch.randn(B, S, D)
    where = layout(torch.arange(S)[None], torch.randint(2, (B, S)), AttentionMask(None))
    made(x, where).square().sum().backward()
    for name, weight in made.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 1e-3, name


def test_gradients_equal_differences() -> None:
    """Of a number in each weight, in float64 by the formula that other devices compute."""
    made, x = attention(), torch.randn(B, S, D)
    segments = torch.randint(2, (B, S))
    where = layout(torch.arange(S)[None], segments, AttentionMask(None))
    loss = made(x, where).square().mean()
    names, weights = zip(*made.named_parameters(), strict=True)
    gradients = torch.autograd.grad(loss, weights)
    step = 1e-2
    for name, weight, gradient in zip(names, weights, gradients, strict=True):
        place = int(gradient.abs().argmax())
        with torch.no_grad():
            ends = []
            for move in (step, -step):
                weight.view(-1)[place] += move
                ends.append(made(x, where).square().mean())
                weight.view(-1)[place] -= move
        expected = (ends[0] - ends[1]) / (2 * step)
        assert float(gradient.view(-1)[place]) == pytest.approx(float(expected), rel=0.02), name


def test_the_table_has_rows_for_every_length() -> None:
    table = distance_table(MAX, D)
    for num_keys in range(1, MAX + 1):
        rows = table[MAX - num_keys :][: Distances.num_columns(num_keys)]
        assert len(rows) == Distances.num_columns(num_keys)
        torch.testing.assert_close(rows[num_keys], sinusoid(0))
        torch.testing.assert_close(rows[0], sinusoid(num_keys))


def inputs(num_keys: int, dtype: torch.dtype, *, segments: bool) -> tuple[list[Tensor], Distances]:
    torch.manual_seed(0)
    positions = torch.randint(num_keys + 1, (RELATIVE_B, T))
    differs = torch.rand(RELATIVE_B, T, num_keys) < 0.3 if segments else None
    scores = (
        torch.randn(RELATIVE_H, RELATIVE_B, T, Distances.num_columns(num_keys))
        .to(dtype)
        .requires_grad_()
    )
    deltas = [torch.randn(RELATIVE_H, RELATIVE_B, T).to(dtype).requires_grad_()] if segments else []
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
    assert ours.shape == (RELATIVE_B, RELATIVE_H, T, num_keys)
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
    each = relative_scores(
        tensors[0], None, Distances.between(positions.expand(RELATIVE_B, T), 16), 1.0
    )
    assert torch.equal(shared, each)


def test_a_query_beyond_the_table_is_refused() -> None:
    tensors, _ = inputs(16, torch.float32, segments=False)
    with pytest.raises(AssertionError, match="first columns"):
        relative_scores(
            tensors[0], None, Distances.between(torch.full((RELATIVE_B, T), 17), 16), 1.0
        )
