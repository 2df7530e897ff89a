"""Each pooling against a loop over rows; padding has no say in any."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from foretext.nn.pooling import Pool

KINDS = ["cls", "last", "ends", "mean", "max", "attention"]
LENGTHS = (7, 3, 1)


def states() -> Tensor:
    """All below zero, so that padding must not pass for a large feature."""
    return -torch.rand(3, 7, 6, generator=torch.Generator().manual_seed(2)) - 1


def mask() -> Tensor:
    return torch.arange(7) < torch.tensor(LENGTHS)[:, None]


def pool(kind: str) -> Pool:
    torch.manual_seed(0)
    return Pool(kind, 6)  # type: ignore[arg-type]


def by_hand(kind: str, row: Tensor, pooling: Pool) -> Tensor:
    """Pool the real states (n, D) of one row."""
    if kind == "attention":
        attention = pooling.attention
        assert attention is not None
        weights = [attention.question(torch.tanh(attention.key(state))).exp() for state in row]
        return sum(w * state for w, state in zip(weights, row, strict=True)) / sum(weights)  # type: ignore[no-any-return]
    return {
        "cls": row[0],
        "last": row[-1],
        "ends": torch.cat([row[-1, :3], row[0, 3:]]),
        "mean": row.sum(0) / len(row),
        "max": row.max(0).values,
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_a_row_is_pooled_over_its_real_positions(kind: str) -> None:
    pooling = pool(kind)
    pooled = pooling(states(), mask())
    rows = [row[:length] for row, length in zip(states(), LENGTHS, strict=True)]
    expected = torch.stack([by_hand(kind, row, pooling) for row in rows])
    torch.testing.assert_close(pooled, expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_no_mask_says_that_all_are_real(kind: str) -> None:
    pooling, everything = pool(kind), torch.ones(3, 7, dtype=torch.bool)
    torch.testing.assert_close(pooling(states(), None), pooling(states(), everything))


@pytest.mark.parametrize("kind", KINDS)
def test_padding_has_no_influence_and_no_gradient(kind: str) -> None:
    pooling = pool(kind)
    given = states().masked_fill(~mask()[..., None], 1e4).requires_grad_()
    pooled = pooling(given, mask())
    torch.testing.assert_close(pooled, pooling(states(), mask()))
    pooled.sum().backward()
    assert given.grad is not None
    assert not given.grad[~mask()].any()
    assert given.grad[mask()].any()


def test_the_mean_adds_up_in_float32() -> None:
    many = torch.full((1, 3000, 2), 1.01, dtype=torch.bfloat16)
    real = torch.ones(1, 3000, dtype=torch.bool)
    for token_mask in (None, real):
        mean = Pool("mean", 2)(many, token_mask)
        torch.testing.assert_close(mean, many[:, 0].float())


@pytest.mark.parametrize("kind", ["cls", "last", "max", "attention"])
def test_half_precision_stays_half(kind: str) -> None:
    pooling = pool(kind).to(torch.bfloat16)
    assert pooling(states().to(torch.bfloat16), mask()).dtype == torch.bfloat16
