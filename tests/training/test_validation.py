"""Held-out examples under a budget: a sample, chosen once, and a tenth of the time at most."""

from __future__ import annotations

import pytest

from foretext.training.validation import choose_sample, sample_size


class Measured:
    """A model that takes its time for each example, and longer when it is first measured."""

    def __init__(self, seconds: float, first: float = 30.0) -> None:
        self.seconds, self.first = seconds, first
        self.now = 0.0
        self.sizes: list[int] = []

    def __call__(self, size: int) -> None:
        self.now += size * self.seconds + (0 if self.sizes else self.first)
        self.sizes.append(size)

    def clock(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "num_examples", "size"),
    [
        (0.001, 300, 300),  # 20 times 0.3 of 120 seconds: all of them
        (0.001, 5000, 600),  # 20 times 0.6 seconds are a tenth
        (0.004, 5000, 500),  # 6 times 2 seconds
        (0.1, 5000, 60),  # twice 6 seconds
        (100.0, 5000, 16),
        (100.0, 3, 3),
    ],
)
def test_the_sample_follows_from_the_speed(seconds: float, num_examples: int, size: int) -> None:
    measured = Measured(seconds)
    found = choose_sample(measured, num_examples, 120.0, measured.clock)
    assert found.size == pytest.approx(size, abs=1)
    assert found.seconds == pytest.approx(found.size * seconds)
    if seconds < 1:
        assert measured.now - measured.first < 0.04 * 120.0


def test_one_example_is_enough_to_measure() -> None:
    measured = Measured(0.5)
    assert choose_sample(measured, 1, 60.0, measured.clock) == (1, 0.5)
    assert measured.sizes == [1, 1]


@pytest.mark.parametrize("pace", [1e-5, 1e-4, 1e-3, 1e-2, 1e-1])
def test_two_measurements_take_a_tenth_at_most(pace: float) -> None:
    assert 2 * pace * sample_size(pace, 10**6, 60.0) <= 6.0 + 1e-6


def test_more_time_never_means_a_smaller_sample() -> None:
    sizes = [sample_size(0.01, 3000, seconds) for seconds in range(1, 4000, 50)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 3000 or sizes[-1] < 3000 <= sample_size(0.01, 3000, 1e5)
