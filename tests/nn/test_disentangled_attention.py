"""Disentangled attention against a plain twin, a worked example and the reference library."""

from __future__ import annotations

import math

import pytest
import torch

from foretext.nn.attention import Layout
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.disentangled_attention import (
    DisentangledAttention,
    distance_buckets,
    distance_scores,
)
from tests.lazy_import import lazy_import

reference = lazy_import("transformers.models.deberta_v2.modeling_deberta_v2")  # for buckets

B, H, T, D = 2, 2, 5, 8
WIDTH = D // H


def plain_scores(
    attention: DisentangledAttention, x: torch.Tensor, distances: torch.Tensor
) -> torch.Tensor:
    """All scores by loops, (B, H, T, T); distances (2 T - 1, D) from T - 1 to 1 - T."""
    maps = attention.distance_query_key or attention.query_key_value
    query, key, _ = attention.query_key_value(x).split(D, -1)
    of_distance = torch.nn.functional.linear(distances, maps.weight[: 2 * D], maps.bias[: 2 * D])
    distance_query, distance_key = of_distance.split(D, -1)
    scores = torch.empty(len(x), H, x.shape[1], x.shape[1])
    for h in range(H):
        part = slice(h * WIDTH, (h + 1) * WIDTH)
        for i in range(x.shape[1]):
            for j in range(x.shape[1]):
                row = x.shape[1] - 1 - (i - j)
                q, k = query[:, i, part], key[:, j, part]
                scores[:, h, i, j] = (
                    (q * k).sum(-1) + q @ distance_key[row, part] + k @ distance_query[row, part]
                ) / math.sqrt(3 * WIDTH)
    return scores


def made(*, shared_maps: bool) -> tuple[DisentangledAttention, torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    attention = DisentangledAttention(
        D, H, shared_maps=shared_maps, dropout=0.0, distance_dropout=0.0
    )
    return attention, torch.randn(B, T, D), torch.randn(2 * T - 1, D)


@pytest.mark.parametrize("shared_maps", [True, False])
def test_output_and_gradients_are_those_of_the_plain_sum(shared_maps: bool) -> None:
    attention, x, distances = made(shared_maps=shared_maps)
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    weight = torch.randn(B, T, D)
    found = []
    for plain in (True, False):
        inputs = [tensor.clone().requires_grad_() for tensor in (x, distances)]
        attention.zero_grad()
        if plain:
            scores = plain_scores(attention, *inputs)
            value = attention.query_key_value(inputs[0])[..., 2 * D :].view(B, T, H, -1)
            shares = scores.masked_fill(~real[:, None, None], -math.inf).softmax(-1)
            states = attention.output((shares @ value.transpose(1, 2)).transpose(1, 2).flatten(2))
        else:
            layout = Layout(AttentionMask(real[:, None, None]), distances=inputs[1])
            states = attention(inputs[0], layout)
        (states * weight).sum().backward()
        grads = [tensor.grad for tensor in (*inputs, *attention.parameters())]
        found.append([states.detach(), *grads])
    for expected, got in zip(*found, strict=True):
        torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-4)


def test_the_weights_that_are_shown_are_those_of_the_plain_sum() -> None:
    attention, x, distances = made(shared_maps=True)
    layout = Layout(AttentionMask(None), distances=distances)
    with torch.no_grad():
        shown = attention.weights(x, layout)
        torch.testing.assert_close(shown, plain_scores(attention, x, distances).softmax(-1))


def test_the_first_query_alone_gets_the_same_state() -> None:
    attention, x, distances = made(shared_maps=False)
    layout = Layout(AttentionMask(None), distances=distances)
    with torch.no_grad():
        torch.testing.assert_close(
            attention(x, layout, num_needed=1), attention(x, layout)[:, :1], atol=1e-6, rtol=1e-5
        )


def test_gradients_of_the_shifted_scores_are_numerically_right() -> None:
    torch.manual_seed(2)
    queries = torch.randn(2, 1, 2, 5, dtype=torch.float64, requires_grad=True)
    keys = torch.randn(2, 1, 3, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(distance_scores, (queries, keys))


def test_scores_of_two_positions_worked_by_hand() -> None:
    # Columns of queries: distances 1, 0, -1. Columns of keys: distances -1, 0, 1.
    queries = torch.tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
    keys = torch.tensor([[[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]]])
    expected = torch.tensor([[2.0 + 20.0, 3.0 + 40.0], [4.0 + 30.0, 5.0 + 50.0]])
    torch.testing.assert_close(distance_scores(queries, keys)[0, 0], expected)


@pytest.mark.parametrize(("buckets", "longest"), [(256, 512), (8, 40), (7, 20), (32, 24), (6, 9)])
def test_buckets_are_those_of_the_reference(buckets: int, longest: int) -> None:
    rows = torch.empty(1, longest + 5, 1)
    theirs = reference.build_relative_position(rows, rows, buckets, longest)[0]
    expected = (theirs + buckets).clamp(0, 2 * buckets - 1)
    found = distance_buckets(longest + 5, buckets, longest)
    torch.testing.assert_close(found[: longest + 5], expected[:, 0].flip(0))
    torch.testing.assert_close(found[longest + 4 :], expected[0])


def test_without_buckets_each_distance_has_its_own_up_to_the_largest() -> None:
    assert distance_buckets(5, None, 3).tolist() == [5, 5, 5, 4, 3, 2, 1, 0, 0]
