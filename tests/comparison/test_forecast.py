"""What twice the time may give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from foretext.comparison.forecast import curve_gain, forecast, rounds_gain
from tests.comparison.compared import failed, outcome

Curve = list[tuple[float, float]]


def curve(score: Callable[[float], float], seconds: float = 20.0, points: int = 16) -> Curve:
    times = np.linspace(seconds / points, seconds, points)
    return [(float(time), score(float(time))) for time in times]


# As `foretext finetune` logged them: seconds, and F1 or accuracy of the held-out rows.
CNN = [(4.9, 0.656), (8.9, 0.722), (12.9, 0.794), (16.8, 0.83), (20.7, 0.83), (24.7, 0.854),
       (28.7, 0.864), (32.7, 0.864), (36.7, 0.874), (40.7, 0.878), (44.7, 0.884), (49.0, 0.884),
       (53.0, 0.884), (57.0, 0.898), (60.9, 0.9), (65.2, 0.892), (72.3, 0.904)]  # fmt: skip
LSTM = [(8.4, 0.6113), (18.2, 0.7044), (28.4, 0.7354), (38.2, 0.7646), (47.7, 0.8212),
        (56.8, 0.8449), (67.9, 0.8394), (77.5, 0.865), (88.5, 0.8741), (100.7, 0.885),
        (111.4, 0.8887), (121.3, 0.9015), (132.3, 0.896), (141.5, 0.8942), (149.1, 0.9088),
        (153.0, 0.9015), (157.4, 0.9088), (160.5, 0.9124), (164.5, 0.9106)]  # fmt: skip
FLAT = [(2.5, 0.666), (5.1, 0.8876), (7.6, 0.8955), (10.1, 0.8918), (12.7, 0.895), (15.2, 0.8871),
        (17.8, 0.8929), (20.5, 0.8913), (23.6, 0.8913), (26.2, 0.8913), (28.7, 0.8934),
        (31.2, 0.8913), (33.8, 0.8934), (36.3, 0.8961), (38.9, 0.894)]  # fmt: skip


def test_a_power_law_goes_on_as_it_is() -> None:
    """The error halves with every fourth part of the time: 0.2 becomes 0.2 / sqrt 2."""
    found = curve_gain(curve(lambda time: 1 - 0.2 * (time / 20) ** -0.5), is_whole=True)
    assert found is not None
    assert found.value == pytest.approx(0.2 * (1 - 2**-0.5), rel=0.02)


@pytest.mark.parametrize("recorded", [CNN, LSTM], ids=["cnn", "lstm"])
def test_the_second_half_of_a_recorded_training_is_forecast_from_the_first(recorded: Curve) -> None:
    half = [point for point in recorded if point[0] <= recorded[-1][0] / 2]
    found = curve_gain(half, is_whole=True)
    assert found is not None
    end = np.mean([score for _, score in recorded[-3:]])
    reached = np.mean([score for _, score in half[-3:]])
    assert found.value == pytest.approx(end - reached, abs=0.02)
    assert end - reached > 0.03  # which "no gain" would miss


@pytest.mark.parametrize(
    "short",
    [
        FLAT,
        curve(lambda time: 0.9),
        curve(lambda time: 0.9 - 0.01 * time),
        curve(lambda time: 0.5 + 0.4 * np.sin(7 * time)),
        curve(lambda time: 0.5 + 0.02 * time, points=3),
        curve(lambda time: 1.0),
        [],
        [(0.0, 0.5)],
        [(19.0, 0.5), (19.2, 0.6), (19.6, 0.7), (19.9, 0.8), (20.0, 0.9)],
    ],
    ids=["recorded", "flat", "falling", "noisy", "short", "perfect", "empty", "one", "late"],
)
def test_nothing_is_forecast_of_what_says_nothing(short: Curve) -> None:
    found = curve_gain(short, is_whole=True)
    assert found is None or found.value < 0.001


def test_no_gain_is_larger_than_that_of_the_last_doubling() -> None:
    def score(time: float) -> float:
        return min(0.3 + 0.1 * time, 0.9)  # stands still from second 6 on

    found = curve_gain(curve(score), is_whole=True)
    assert found is None or found.value <= 0.03


def test_two_rounds_are_a_law_of_their_own() -> None:
    """0.2 errors of 10 s and 0.1 of 40 s: each doubling takes the root of a half."""
    found = rounds_gain((10.0, 0.8), (40.0, 0.9), 1000)
    assert found is not None
    assert found.value == pytest.approx(0.1 * (1 - 0.5**0.5))


@pytest.mark.parametrize(
    ("second", "num_rows"),
    [((40.0, 0.8), 1000), ((40.0, 0.7), 1000), ((11.0, 0.9), 1000), ((40.0, 0.81), 100)],
    ids=["as good", "worse", "hardly longer", "within a standard error"],
)
def test_two_rounds_that_say_nothing(second: tuple[float, float], num_rows: int) -> None:
    assert rounds_gain((10.0, 0.8), second, num_rows) is None


def test_the_time_of_pretraining_is_no_part_of_the_learning_curve() -> None:
    points = curve(lambda time: 1 - 0.2 * (time / 20) ** -0.5)
    late = [(100 + seconds, score) for seconds, score in points]
    alone = forecast("accuracy", [outcome(0.8, curve=points, pretraining=0.0)], 500)
    after = forecast("accuracy", [outcome(0.8, curve=late, pretraining=100.0)], 500)
    assert alone is not None
    assert after is not None
    assert after["gain"] == pytest.approx(alone["gain"])
    assert alone["from"] == "its learning curve"
    assert "fine-tuning alone" in after["from"]


def test_a_forecast_has_score_gain_and_seconds() -> None:
    rounds = [outcome(0.6, used=10.0), outcome(0.8, round_=2, used=20.0)]
    found = forecast("accuracy", rounds, 500)
    assert found == {
        "value": pytest.approx(0.9), "gain": pytest.approx(0.1), "seconds": 40.0,
        "from": "its rounds",
    }  # fmt: skip
    points = [outcome(60.0, used=10.0), outcome(80.0, round_=2, used=20.0)]
    of_hundred = forecast("bleu", points, 500)
    assert of_hundred is not None
    assert of_hundred["value"] == pytest.approx(90.0)


def test_less_than_one_row_is_no_gain() -> None:
    rounds = [outcome(0.970, used=10.0), outcome(0.980, round_=2, used=20.0)]
    many, few = (forecast("accuracy", rounds, rows) for rows in (4000, 100))
    assert many is not None
    assert few is None


def test_one_that_failed_has_no_forecast() -> None:
    assert forecast("accuracy", [outcome(0.6), failed(round_=2)], 500) is None
