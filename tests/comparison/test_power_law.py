"""What another label is worth, of curves whose law is known."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.comparison.power_law import another, fitted_law, worth_of

LABELS = (20, 50, 100, 200, 500, 1000)
EVEN = [0.005] * len(LABELS)


def errors(scale: float, power: float, floor: float) -> list[float]:
    return [scale * number**-power + floor for number in LABELS]


@pytest.mark.parametrize("known", [(2.0, 0.5, 0.1), (1.0, 0.35, 0.0), (6.0, 1.0, 0.2)])
def test_a_known_law_is_found(known: tuple[float, float, float]) -> None:
    law = fitted_law(LABELS, errors(*known), EVEN)
    assert law is not None
    assert law.power == pytest.approx(known[1], rel=0.08)
    assert law.floor == pytest.approx(known[2], abs=0.02)
    for number, error in zip(LABELS, errors(*known), strict=True):
        assert law.at(number) == pytest.approx(error, abs=0.003)


def test_the_worth_of_more_labels_by_hand() -> None:
    found = worth_of(LABELS, errors(2.0, 0.5, 0.1), EVEN, more=440)
    assert found is not None
    assert (found.labels, found.more) == (1000, 440)
    assert found.value == pytest.approx(2 * (1000**-0.5 - 1440**-0.5), abs=0.001)
    assert 0 <= found.low < found.value < found.high < 0.03


def test_its_interval_holds_the_truth_in_most_noisy_curves() -> None:
    true, rng, held = 2 * (1000**-0.5 - 1200**-0.5), np.random.default_rng(0), []
    for _ in range(60):
        noisy = np.array(errors(2.0, 0.5, 0.1)) + 0.01 * rng.standard_normal(len(LABELS))
        found = worth_of(LABELS, noisy.tolist(), [0.01] * len(LABELS))
        if found is not None:
            held.append(found.low <= true <= found.high)
    assert len(held) >= 50
    assert np.mean(held) >= 0.85


def test_more_noise_gives_a_wider_interval() -> None:
    sure, unsure = (
        worth_of(LABELS, errors(2.0, 0.5, 0.1), [error] * len(LABELS)) for error in (0.003, 0.03)
    )
    assert sure is not None
    assert unsure is not None
    assert unsure.high - unsure.low > 2 * (sure.high - sure.low)


def test_a_flat_curve_is_worth_nothing() -> None:
    found = worth_of(LABELS, [0.2] * len(LABELS), EVEN)
    assert found is not None
    assert found.value == pytest.approx(0.0, abs=1e-6)
    assert found.low == pytest.approx(0.0, abs=1e-6)
    assert found.high < 0.01


def test_what_follows_no_law_has_none() -> None:
    assert fitted_law(LABELS, [0.1, 0.5, 0.1, 0.5, 0.1, 0.5], EVEN) is None
    assert fitted_law(LABELS, [0.1, 0.15, 0.2, 0.25, 0.3, 0.4], EVEN) is None  # it gets worse
    assert worth_of(LABELS, [0.1, 0.15, 0.2, 0.25, 0.3, 0.4], EVEN) is None


def test_too_few_points_have_no_law() -> None:
    assert fitted_law(LABELS[:3], errors(2.0, 0.5, 0.1)[:3], EVEN[:3]) is None
    assert fitted_law(LABELS[:4], errors(2.0, 0.5, 0.1)[:4], EVEN[:4]) is not None


@pytest.mark.parametrize(
    ("labels", "more"), [(300, 100), (7000, 2000), (20, 5), (150, 50), (2, 1), (500, 200)]
)
def test_another_few_labels_are_a_round_number(labels: int, more: int) -> None:
    assert another(labels) == more
