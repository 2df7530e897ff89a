from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from foretext.metrics import (
    expected_calibration_error,
    fit_temperature,
    reliability_bins,
    softmax,
)


def drawn(temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """(N, C) logits and (N,) classes that are as likely as the logits over `temperature` say."""
    random = np.random.default_rng(3)
    logits = random.normal(0, 3, (4000, 4))
    shares = softmax(logits / temperature)
    return logits, (shares.cumsum(axis=1) < random.random((4000, 1))).sum(axis=1)


def test_bins_by_hand() -> None:
    bins = reliability_bins([0.0, 0.5, 0.6, 1.0], [False, True, False, True], num_bins=2)
    assert [each.size for each in bins] == [2, 2]
    assert bins[0][:2] == (0.0, 0.5)
    assert (bins[0].confidence, bins[0].accuracy) == (0.25, 0.5)
    assert bins[1].confidence == pytest.approx(0.8)
    error = expected_calibration_error([0.0, 0.5, 0.6, 1.0], [False, True, False, True], 2)
    assert error == pytest.approx((2 * 0.25 + 2 * 0.3) / 4)


def test_empty_bins_weigh_nothing() -> None:
    assert np.isnan(reliability_bins([0.9], [True], num_bins=2)[0].accuracy)
    assert expected_calibration_error([0.9], [True]) == pytest.approx(0.1)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_temperature_that_was_put_in_comes_out(temperature: float) -> None:
    logits, classes = drawn(temperature)
    found = fit_temperature(logits, classes)
    assert found == pytest.approx(temperature, rel=0.1)

    def loss(candidate: float) -> float:
        rows = special.log_softmax(logits / candidate, axis=1)
        return float(-rows[np.arange(len(classes)), classes].mean())

    best = optimize.minimize_scalar(loss, bounds=(0.05, 50), method="bounded")
    assert found == pytest.approx(best.x, rel=1e-3)
    confidence, is_right = softmax(logits, found), logits.argmax(axis=1) == classes
    assert expected_calibration_error(confidence.max(axis=1), is_right) < 0.03


def test_classes_that_are_always_or_never_right_stop_somewhere() -> None:
    assert fit_temperature([[1.0, 0.0], [0.0, 1.0]], [0, 1]) < 0.05
    assert fit_temperature([[1.0, 0.0], [0.0, 1.0]], [1, 0]) == pytest.approx(100)
    assert fit_temperature([[0.0, 0.0]], [1]) > 0


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(ValueError, match="confidences are probabilities, from 0 to 1"):
        reliability_bins([1.5], [True])
    with pytest.raises(ValueError, match="one confidence an answer is needed"):
        reliability_bins([0.5], [True, False])
    with pytest.raises(ValueError, match=r"\(N, C\) logits and \(N,\) classes are needed"):
        fit_temperature([0.5], [0])
