"""The softmax of attention and its backward pass against plain numpy in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from foretext.kernels.attention_softmax import (
    HIDDEN,
    Addend,
    biased_softmax,
    biased_softmax_backward,
    softmax,
    softmax_backward,
)
from foretext.kernels.bfloat16 import from_bits, to_bits
from foretext.kernels.team import ALONE

TEXTS, HEADS, T, S = 3, 2, 5, 32
N = TEXTS * HEADS
SCALE = 0.3


class Twin(NamedTuple):
    """What the kernels should give, in float64."""

    shares: NDArray[np.float64]  # (N, T, S)
    normalisers: NDArray[np.float64]  # (N, T)

    def gradients(self, errors: NDArray[Any]) -> NDArray[np.float64]:
        """Return G of the gradients of P, (N, T, S)."""
        mean = (self.shares * errors).sum(-1, keepdims=True)
        return self.shares * (errors - mean)


def twin(scores: NDArray[Any], *added: NDArray[Any]) -> Twin:
    total = SCALE * scores.astype(np.float64)
    for values in added:
        total = total + np.broadcast_to(values, (TEXTS, HEADS, T, S)).reshape(N, T, S)
    top = total.max(-1, keepdims=True)
    exponentials = np.exp(total - top)
    whole = exponentials.sum(-1, keepdims=True)
    return Twin(exponentials / whole, (top + np.log(whole))[..., 0])


def addend(values: NDArray[np.float32]) -> Addend:
    """An addend of shape (texts or 1, heads or 1, T or 1, S)."""
    strides = [
        stride // 4 if size > 1 else 0
        for size, stride in zip(values.shape[:3], values.strides[:3], strict=True)
    ]
    return Addend(values.reshape(-1), *strides, HEADS, 0)


def drawn(*shape: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def hiding(*shape: int) -> NDArray[np.float32]:
    hidden = np.random.default_rng(5).random(shape) < 0.4
    hidden[..., 3] = False
    return np.where(hidden, np.float32(HIDDEN), np.float32(0))


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("hidden", [(1, 1, 1, S), (TEXTS, 1, 1, S), (TEXTS, 1, T, S)])
@pytest.mark.parametrize("biased", [None, (1, HEADS, T, S), (TEXTS, HEADS, T, S)])
def test_softmax_and_gradients(halves: bool, hidden: Any, biased: Any) -> None:
    pack, unpack = (to_bits, from_bits) if halves else (np.copy, np.copy)
    scores, errors = pack(drawn(N, T, S, seed=1)), pack(drawn(N, T, S, seed=2))
    added = [hiding(*hidden)] + ([] if biased is None else [drawn(*biased, seed=3)])
    expected = twin(unpack(scores), *added)
    gradients = expected.gradients(unpack(errors)) * (SCALE if biased is None else 1.0)
    addends, normalisers = [addend(values) for values in added], np.empty(N * T, np.float32)
    run, back = (
        (softmax, softmax_backward) if biased is None else (biased_softmax, biased_softmax_backward)
    )
    shares = scores.copy()
    run(ALONE, shares.reshape(-1), *addends, SCALE, normalisers, T, S)
    again, flat = scores.copy(), errors.reshape(-1)
    back(ALONE, again.reshape(-1), flat, *addends, SCALE, normalisers, T, S)
    near = {"rtol": 5e-3, "atol": 1e-3} if halves else {"rtol": 3e-6, "atol": 1e-6}
    np.testing.assert_allclose(
        normalisers.reshape(N, T), expected.normalisers, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(unpack(shares), expected.shares, **near)
    np.testing.assert_allclose(unpack(again), expected.shares, **near)
    np.testing.assert_allclose(unpack(errors), gradients, **near)


def test_a_row_by_hand() -> None:
    """Scores log 1, log 2, log 3 and a bias of log 4 on the first: shares 4/9, 2/9, 3/9."""
    scores = np.zeros(16, np.float32)
    scores[:3] = np.log([1, 2, 3])
    hidden = np.full((1, 1, 1, 16), HIDDEN, np.float32)
    hidden[..., :3] = 0
    bias = np.zeros((1, 1, 1, 16), np.float32)
    bias[..., 0] = np.log(4)
    normalisers = np.empty(1, np.float32)
    biased_softmax(ALONE, scores, addend(hidden), addend(bias), 1.0, normalisers, 1, 16)
    np.testing.assert_allclose(scores[:3], [4 / 9, 2 / 9, 3 / 9], rtol=1e-6)
    assert not scores[3:].any()
    np.testing.assert_allclose(normalisers, [np.log(9)], rtol=1e-6)


def test_portions_begin_with_any_head() -> None:
    bias, scores = drawn(TEXTS, HEADS, T, S, seed=3), drawn(N, T, S, seed=1)
    expected = twin(scores, bias).shares
    nothing = addend(np.zeros((1, 1, 1, S), np.float32))
    first = 3
    rest, normalisers = scores[first:].copy(), np.empty((N - first) * T, np.float32)
    addends = (nothing._replace(first_head=first), addend(bias)._replace(first_head=first))
    biased_softmax(ALONE, rest.reshape(-1), *addends, SCALE, normalisers, T, S)
    np.testing.assert_allclose(rest, expected[first:], rtol=3e-6, atol=1e-7)
