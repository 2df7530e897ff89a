"""Scores of distances at the keys, and their gradients, against plain numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from foretext.kernels.bfloat16 import from_bits, to_bits
from foretext.kernels.relative_scores import Places, relative_scores, relative_scores_backward
from foretext.kernels.team import ALONE

H, B, T, S, P = 2, 3, 5, 16, 32
SCALE = 0.5


def drawn(*shape: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def places(differs: NDArray[np.float32]) -> Places:
    firsts = np.random.default_rng(3).integers(0, P - S + 1, (B, T))
    text, row = (
        stride // 4 if size > 1 else 0
        for size, stride in zip(differs.shape[:2], differs.strides[:2], strict=True)
    )
    return Places(firsts.reshape(-1), differs.reshape(-1), text, row, H, B, T, P, S)


def other_segments(*shape: int) -> NDArray[np.float32]:
    return (np.random.default_rng(4).random(shape) < 0.4).astype(np.float32)


def columns(found: Places) -> NDArray[np.int64]:
    """The column of each key in the row of each query, (B, T, S)."""
    return found.firsts.reshape(B, T, 1) + np.arange(S)


def twin(scores: Any, deltas: Any, differs: Any, found: Places) -> NDArray[np.float64]:
    """(B, H, T, S)."""
    taken = np.take_along_axis(scores, np.broadcast_to(columns(found), (H, B, T, S)), axis=3)
    added = taken + deltas[..., None] * np.broadcast_to(differs, (B, T, S))
    return SCALE * added.swapaxes(0, 1)


SHAPES = [(B, T, S), (1, T, S), (1, 1, S)]


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_key_gets_the_score_of_its_distance(shape: Any, halves: bool) -> None:
    differs, deltas = other_segments(*shape), drawn(H, B, T, seed=2)
    scores = drawn(H, B, T, P, seed=1)
    scores = to_bits(scores) if halves else scores
    found, relative = places(differs), np.empty(B * H * T * S, np.float32)
    relative_scores(ALONE, scores.reshape(-1), deltas.reshape(-1), found, SCALE, relative)
    exact = from_bits(scores) if halves else scores
    expected = twin(exact, deltas, differs, found)
    np.testing.assert_allclose(relative.reshape(B, H, T, S), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients(shape: Any, halves: bool) -> None:
    differs, errors = other_segments(*shape), drawn(B, H, T, S, seed=5)
    found = places(differs)
    of_scores = np.full(H * B * T * P, 9, np.uint16 if halves else np.float32)
    of_deltas = np.empty(H * B * T, np.float32)
    relative_scores_backward(ALONE, errors.reshape(-1), found, SCALE, of_scores, of_deltas)
    expected = np.zeros((H, B, T, P))
    scaled = SCALE * errors.swapaxes(0, 1)  # (H, B, T, S)
    np.put_along_axis(expected, np.broadcast_to(columns(found), scaled.shape), scaled, axis=3)
    gained = from_bits(of_scores) if halves else of_scores
    near = {"rtol": 5e-3, "atol": 0} if halves else {"rtol": 1e-6, "atol": 0}
    np.testing.assert_allclose(gained.reshape(H, B, T, P), expected, **near)
    sums = (scaled * np.broadcast_to(differs, (B, T, S))).sum(-1)
    np.testing.assert_allclose(of_deltas.reshape(H, B, T), sums, rtol=1e-4, atol=1e-5)


def test_two_queries_by_hand() -> None:
    """Columns stand for distances 16, 15, ...; a query at position 2 is 2, 1, 0, -1 from keys."""
    scores = np.tile(np.arange(16, -16, -1, dtype=np.float32), 2)
    differs = np.zeros(S, np.float32)
    differs[3] = 1
    found = Places(np.array([16, 14]), differs, 0, 0, 1, 1, 2, P, S)
    relative = np.empty(2 * S, np.float32)
    relative_scores(ALONE, scores, np.array([0, 100], np.float32), found, 1.0, relative)
    assert relative.reshape(2, S)[:, :4].tolist() == [[0, -1, -2, -3], [2, 1, 0, 99]]
