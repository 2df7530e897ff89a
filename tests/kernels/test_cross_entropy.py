"""The kernel against the formula in float64."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.kernels.bfloat16 import from_bits, to_bits
from foretext.kernels.cross_entropy import cross_entropy
from foretext.kernels.team import ALONE

NONE = np.empty(0, np.float32)


def run(logits, bias, targets, *, to_gradient=True, smoothing=0.0):
    chosen = {"to_gradient": to_gradient, "smoothing": smoothing}
    losses, correct, _ = run_drawn(logits, bias, targets, NONE, **chosen)
    return losses, correct


def run_drawn(logits, bias, targets, draws, *, to_gradient=True, smoothing=0.0):
    losses, correct = np.empty(len(targets), np.float32), np.empty(len(targets), np.bool_)
    found = losses, correct, np.empty(len(draws), np.int64)
    given = ALONE, logits.reshape(-1), bias, targets, *found[:2], to_gradient, draws, found[2]
    cross_entropy(*given, np.float32(smoothing))
    return found


def twin(logits, bias, targets, smoothing=0.0):
    scores = logits.astype(np.float64) + bias
    exponentials = np.exp(scores - scores.max(1, keepdims=True))
    softmax = exponentials / exponentials.sum(1, keepdims=True)
    wanted = (1 - smoothing) * np.eye(scores.shape[1])[targets] + smoothing / scores.shape[1]
    losses = -(np.log(softmax) * wanted).sum(1)
    return losses, softmax - wanted, scores.argmax(1) == targets


@pytest.mark.parametrize("classes", [2, 16, 31, 48, 1000])
@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_losses_gradients_and_hits(classes: int, halves: bool, smoothing: float) -> None:
    rng = np.random.default_rng(classes)
    logits = (4 * rng.standard_normal((37, classes))).astype(np.float32)
    bias = rng.standard_normal(classes).astype(np.float32)
    targets = rng.integers(0, classes, 37)
    targets[:9] = logits[:9].argmax(1)
    pack, unpack = (to_bits, from_bits) if halves else (np.copy, np.copy)
    packed, packed_bias = pack(logits), pack(bias)
    expected = twin(unpack(packed), unpack(packed_bias), targets, smoothing)
    losses, correct = run(packed, packed_bias, targets, smoothing=smoothing)
    np.testing.assert_allclose(losses, expected[0], rtol=3e-6, atol=3e-6)
    rounding = {"rtol": 4e-3, "atol": 1e-6} if halves else {"rtol": 3e-6, "atol": 5e-7}
    np.testing.assert_allclose(unpack(packed), expected[1], **rounding)
    np.testing.assert_array_equal(correct, expected[2])


def test_a_row_by_hand() -> None:
    logits = np.log(np.array([[1, 2, 3, 4]], np.float32))
    losses, correct = run(logits, np.zeros(4, np.float32), np.array([3]))
    np.testing.assert_allclose(losses, [-np.log(0.4)], rtol=1e-6)
    np.testing.assert_allclose(logits, [[0.1, 0.2, 0.3, -0.6]], rtol=1e-6)
    assert correct.all()


def test_a_smoothed_row_by_hand() -> None:
    logits = np.log(np.array([[1, 2, 3, 4]], np.float32))
    losses, _ = run(logits, np.zeros(4, np.float32), np.array([3]), smoothing=0.2)
    expected = -0.85 * np.log(0.4) - 0.05 * np.log(0.1 * 0.2 * 0.3)
    np.testing.assert_allclose(losses, [expected], rtol=1e-6)
    np.testing.assert_allclose(logits, [[0.05, 0.15, 0.25, -0.45]], rtol=1e-6)


def test_logits_stay_where_no_gradient_is_asked() -> None:
    logits = np.ones((2, 20), np.float32)
    losses, correct = run(logits, np.zeros(20, np.float32), np.array([0, 1]), to_gradient=False)
    assert (logits == 1).all()
    np.testing.assert_allclose(losses, np.log(20), rtol=1e-6)
    assert correct.tolist() == [True, False]  # of equals the first counts


def test_extreme_scores_give_finite_losses_and_broken_ones_show() -> None:
    logits = np.array([[1e4, -1e4, -np.inf], [np.nan, 0, 0]], np.float32)
    losses, _ = run(logits, np.zeros(3, np.float32), np.array([1, 1]))
    assert losses[0] == 2e4
    assert np.isnan(losses[1])


@pytest.mark.parametrize("classes", [2, 16, 31, 127, 128, 129, 1000])
@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("to_gradient", [False, True])
def test_a_draw_is_where_the_running_sum_of_chances_passes_it(
    classes: int, halves: bool, to_gradient: bool
) -> None:
    rng = np.random.default_rng(classes)
    logits = (2 * rng.standard_normal((50, classes))).astype(np.float32)
    bias, targets = np.zeros(classes, np.float32), rng.integers(0, classes, 50)
    draws = rng.random(50, np.float32)
    draws[0], draws[1] = 0.0, np.nextafter(np.float32(1), np.float32(0))
    pack, unpack = (to_bits, from_bits) if halves else (np.copy, np.copy)
    packed = pack(logits)
    chances = twin(unpack(packed), bias, targets)[1] + np.eye(classes)[targets]
    sums = np.cumsum(chances, axis=1)
    drawn = run_drawn(packed, pack(bias), targets, draws, to_gradient=to_gradient)[2]
    before = np.take_along_axis(np.pad(sums, ((0, 0), (1, 0))), drawn[:, None], 1)[:, 0]
    after = np.take_along_axis(sums, drawn[:, None], 1)[:, 0]
    near = 4e-3 if halves else 1e-5
    assert (before - near <= draws).all()
    assert (draws <= after + near).all()


def test_many_draws_are_distributed_as_the_chances() -> None:
    logits = np.tile(np.log(np.array([[1, 2, 3, 4]], np.float32)), (20_000, 1))
    draws = np.random.default_rng(0).random(20_000, np.float32)
    targets = np.zeros(20_000, np.int64)
    drawn = run_drawn(logits, np.zeros(4, np.float32), targets, draws)[2]
    np.testing.assert_allclose(np.bincount(drawn) / 20_000, [0.1, 0.2, 0.3, 0.4], atol=0.01)


def test_a_broken_row_gives_a_class_that_exists() -> None:
    logits = np.full((1, 40), np.nan, np.float32)
    halves = np.full(1, 0.5, np.float32)
    drawn = run_drawn(logits, np.zeros(40, np.float32), np.array([0]), halves)[2]
    assert 0 <= drawn[0] < 40
