"""Attention by a table of rows is attention to the rows that the table gathers."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from foretext.nn.step_attention import can_step, step_attention


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("scale", [None, 1.0])
def test_it_equals_attention_to_gathered_rows(
    dtype: torch.dtype, biased: bool, scale: float | None
) -> None:
    torch.manual_seed(0)
    R, H, d, S, num_rows, room = 11, 3, 32, 7, 13, 9
    query = torch.randn(R, H, 1, d).to(dtype)
    keys, values = torch.randn(2, num_rows, room, H, d).to(dtype).unbind(0)
    origins = torch.randint(num_rows, (R, room))
    bias = torch.randn(1, H, 1, S) if biased else None
    found = step_attention(query, keys, values, origins, S, bias, scale)
    gathered = [
        every[origins[:, :S], torch.arange(S)].transpose(1, 2).float() for every in (keys, values)
    ]
    expected = F.scaled_dot_product_attention(query.float(), *gathered, bias, scale=scale)
    close = {"atol": 1e-5, "rtol": 1e-5} if dtype == torch.float32 else {"atol": 2e-2, "rtol": 1e-2}
    torch.testing.assert_close(found.float(), expected, **close)


def test_worked_by_hand() -> None:
    """Two positions, one key each in other rows: weights 3/4 and 1/4."""
    query, keys, values = torch.ones(1, 1, 1, 16), *torch.zeros(2, 2, 2, 1, 16).unbind(0)
    keys[1, 0, 0, 0] = torch.log(torch.tensor(3.0))
    values[1, 0], values[0, 1] = 4.0, 8.0
    found = step_attention(query, keys, values, torch.tensor([[1, 0]]), 2, scale=1.0)
    torch.testing.assert_close(found, torch.full((1, 1, 1, 16), 5.0))


def test_rows_share_a_source_and_its_mask() -> None:
    torch.manual_seed(0)
    N, K, S, H, d = 3, 4, 5, 2, 16
    query, (keys, values) = torch.randn(N * K, H, 1, d), torch.randn(2, N, S, H, d).unbind(0)
    hiding = torch.where(torch.arange(S) < torch.tensor([5, 3, 1])[:, None], 0.0, -1e30)
    sources = torch.arange(N * K) // K
    found = step_attention(query, keys, values, sources, S, hiding[:, None, None])
    expected = F.scaled_dot_product_attention(
        query,
        keys[sources].transpose(1, 2),
        values[sources].transpose(1, 2),
        hiding[sources][:, None, None],
    )
    torch.testing.assert_close(found, expected)


@torch.inference_mode()
def test_what_the_kernel_cannot_do() -> None:
    query = torch.zeros(2, 2, 1, 16)
    assert can_step(query, None)
    assert can_step(query, torch.zeros(1, 2, 1, 5))
    assert not can_step(query, torch.zeros(2, 2, 1, 5))  # a bias for each row
    assert not can_step(torch.zeros(2, 2, 3, 16), None)  # several positions
    assert not can_step(torch.zeros(2, 2, 1, 8), None)  # narrow heads
    assert not can_step(query.double(), None)
    with torch.inference_mode(mode=False):
        assert not can_step(query, None)  # it has no gradient
