"""Attention masks: what inputs say, position by position."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from foretext.data.batch import Inputs
from foretext.nn.attention_mask import AttentionMask, attention_mask, windowed_mask

T = 5


def inputs(**fields: Any) -> Inputs:
    return Inputs(torch.zeros(2, T, dtype=torch.int64), **fields)


def whole(mask: AttentionMask, num_keys: int = T) -> Tensor:
    """All that a mask says, (B or 1, T, S)."""
    visible = torch.ones(1, T, num_keys, dtype=torch.bool)
    if mask.causal:
        visible = visible.tril()
    return visible if mask.visible is None else visible & mask.visible[:, 0]


def test_padding_is_hidden() -> None:
    token_mask = torch.arange(T) < torch.tensor([[5], [2]])
    mask = whole(attention_mask(inputs(token_mask=token_mask)))
    assert torch.equal(mask, token_mask[:, None].expand(2, T, T))


def test_a_row_of_padding_looks_at_itself() -> None:
    token_mask = torch.arange(T) < torch.tensor([[5], [2]])
    nothing = torch.zeros(2, T, T, dtype=torch.bool)
    fields = {"visibility": "matrix", "visible": nothing, "token_mask": token_mask}
    assert torch.equal(whole(attention_mask(inputs(**fields)))[1], torch.eye(T) > 0)


def test_causal_masks_go_on_behind_a_cache() -> None:
    assert attention_mask(inputs(visibility="causal")) == AttentionMask(None, causal=True)
    expected = torch.ones(T, 3 + T).tril(3) > 0
    assert torch.equal(whole(attention_mask(inputs(visibility="causal"), 3), 3 + T)[0], expected)
    one = Inputs(torch.zeros(2, 1, dtype=torch.int64), visibility="causal")
    assert attention_mask(one, 3) == AttentionMask(None)


@pytest.mark.parametrize("padded", [False, True])
def test_pure_queries_have_no_keys(padded: bool) -> None:
    visible = torch.rand(2, T, 3, generator=torch.Generator().manual_seed(1)) < 0.5
    token_mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 1, 0]]) > 0 if padded else None
    found = attention_mask(
        inputs(visibility="matrix", visible=visible, num_queries=2, token_mask=token_mask)
    )
    assert found.num_queries == 2
    mask = whole(found, 3)
    expected = visible | (torch.eye(T, 3) > 0)
    if padded:
        expected[1, :, 2] &= torch.arange(T) == 2
        expected[1, [2, 4]] = True  # padding, whose states mean nothing
    assert torch.equal(mask, expected)


def test_pure_queries_of_a_full_mask_look_at_all_keys() -> None:
    mask = attention_mask(inputs(num_queries=2))
    assert mask == AttentionMask(None, num_queries=2)


def near(positions: Tensor, keys: Tensor, window: int) -> Tensor:
    return (keys[None] - positions[:, None]).abs() <= window


@pytest.mark.parametrize("visibility", ["full", "causal"])
@pytest.mark.parametrize("num_cached", [0, 4])
def test_windows(visibility: Any, num_cached: int) -> None:
    given = inputs(visibility=visibility)
    mask = attention_mask(given, num_cached) if visibility == "causal" else AttentionMask(None)
    keys = torch.arange(num_cached + T)
    expected = near(keys[num_cached:], keys, 1)
    if visibility == "causal":
        expected = expected.tril(num_cached)
    found = whole(windowed_mask(mask, given, 1, num_cached), num_cached + T)
    assert torch.equal(found[0], expected)


def test_a_row_within_the_window_needs_no_other_mask() -> None:
    mask = AttentionMask(None)
    assert windowed_mask(mask, inputs(), T - 1) is mask


def test_windows_follow_positions() -> None:
    positions = torch.tensor([[0, 1, 2, 3, 4], [4, 0, 3, 9, 1]])
    given = inputs(positions=positions)
    found = whole(windowed_mask(attention_mask(given), given, 1))
    assert torch.equal(found[0], near(positions[0], positions[0], 1))
    assert torch.equal(found[1], near(positions[1], positions[1], 1))


def test_a_window_does_not_show_a_query_its_own_token() -> None:
    """The query at position 1 may look at 0 only, though the token at 1 is as near as can be."""
    visible = torch.zeros(1, 3, 2, dtype=torch.bool)
    visible[0, 2, 0] = True
    given = Inputs(
        torch.zeros(1, 3, dtype=torch.int64),
        visibility="matrix",
        visible=visible,
        positions=torch.tensor([[0, 1, 1]]),
        num_queries=1,
    )
    found = windowed_mask(attention_mask(given), given, 1).visible
    assert found is not None
    assert found[0, 0].tolist() == [[True, False], [False, True], [True, False]]
