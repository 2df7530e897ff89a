"""The law of memory against the table of decision 19, and against a model that is really shared."""

from __future__ import annotations

import pytest
import torch

from foretext.pretraining.plan.footprint import Footprint, Weights, footprint

P = 8_000_000
HALF, FULL = torch.bfloat16, torch.float32


def bytes_a_weight(found: Footprint) -> float:
    return found.total / P


@pytest.mark.parametrize(
    ("kind", "processes", "expected"),
    [("none", 1, 16), ("none", 8, 20), ("optimizer", 8, 4 + 20 / 8), ("full", 8, 20 / 8)],
)
def test_bytes_a_weight_in_bfloat16(kind: str, processes: int, expected: float) -> None:
    """Of a network that is nearly all blocks, each of them small."""
    found = footprint(Weights(P, 0, 0), kind, processes, HALF, 0)  # type: ignore[arg-type]
    assert bytes_a_weight(found) == pytest.approx(expected, rel=1e-6)


def test_the_largest_block_and_what_is_outside_come_on_top() -> None:
    R, K = 1000, 100
    found = footprint(Weights(P, R, K), "full", 4, HALF, 7)
    assert found.weights == P + 2 * (R + 2 * K + R)
    assert found.gradients == P + 2 * (R + K) + 4 * R
    assert (found.optimizer, found.activations) == (3 * P, 7)


def test_in_float32_the_masters_are_the_weights() -> None:
    assert bytes_a_weight(footprint(Weights(P, 0, 0), "none", 1, FULL, 0)) == 16
    assert bytes_a_weight(footprint(Weights(P, 0, 0), "optimizer", 2, FULL, 0)) == 16
    assert bytes_a_weight(footprint(Weights(P, 0, 0), "full", 2, FULL, 0)) == 10


@pytest.mark.parametrize(("kind", "expected"), [("none", 8), ("optimizer", 6), ("full", 8)])
def test_what_a_ring_of_two_sends(kind: str, expected: float) -> None:
    found = footprint(Weights(P, 0, 0), kind, 2, HALF, 0)  # type: ignore[arg-type]
    assert found.sent == expected * P / 2
