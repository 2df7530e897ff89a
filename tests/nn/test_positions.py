"""Positions: sinusoids as the paper writes them, rotations that keep distances only."""

from __future__ import annotations

import math

import torch

from foretext.nn.positions import Rotary, sinusoids


def test_sinusoids_are_those_of_the_paper() -> None:
    table = sinusoids(7, 6)
    assert table.shape == (7, 6)
    for position in (0, 3, 6):
        for pair in range(3):
            angle = position / 10_000 ** (2 * pair / 6)
            assert abs(table[position, 2 * pair] - math.sin(angle)) < 1e-6
            assert abs(table[position, 2 * pair + 1] - math.cos(angle)) < 1e-6


def test_halves_hold_the_same_columns() -> None:
    """Marian's order; an odd width has a sine more."""
    in_turn, halves = sinusoids(7, 6), sinusoids(7, 6, "halves")
    assert torch.equal(halves, torch.cat((in_turn[:, 0::2], in_turn[:, 1::2]), 1))
    assert torch.equal(sinusoids(7, 5, "halves")[:, :3], sinusoids(7, 5)[:, 0::2])


def test_rotated_scores_depend_on_distance_only() -> None:
    rotary = Rotary(8, 32, 10_000.0)
    query, key = torch.randn(2, 1, 1, 1, 8, generator=torch.Generator().manual_seed(0))

    def turned(x: torch.Tensor, at: int) -> torch.Tensor:
        return rotary(slice(at, at + 1), torch.float32).applied(x)

    def score(at: int, other: int) -> torch.Tensor:
        return (turned(query, at) * turned(key, other)).sum()

    assert torch.allclose(score(3, 7), score(20, 24), atol=1e-5)
    assert not torch.allclose(score(3, 7), score(3, 8), atol=1e-3)
    assert torch.allclose(turned(query, 5).norm(), query.norm())


def test_rows_may_have_positions_of_their_own() -> None:
    rotary = Rotary(8, 32, 10_000.0)
    x = torch.randn(2, 3, 4, 8, generator=torch.Generator().manual_seed(0))
    positions = torch.tensor([[0, 1, 2, 3], [9, 8, 30, 8]])
    turned = rotary(positions, torch.float32).applied(x)
    for row, places in enumerate(positions.tolist()):
        for t, place in enumerate(places):
            alone = rotary(slice(place, place + 1), torch.float32).applied(x[row : row + 1, :, [t]])
            assert torch.equal(turned[row, :, t], alone[0, :, 0])
