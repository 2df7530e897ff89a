"""Intervals of figures, and which candidates are tied with the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from foretext.comparison.intervals import bootstrap
from foretext.metrics.paired import Tallies, f1_tallies, rank_tallies, share_tallies
from foretext.metrics.texts import chrf

Flags = NDArray[np.bool_]


def answers(rate: float, rows: int = 300, seed: int = 0) -> Flags:
    return np.random.default_rng(seed).random(rows) < rate


def percentiles(values: Sequence[float] | NDArray[np.float64]) -> list[float]:
    return [float(value) for value in np.percentile(values, [2.5, 97.5])]


def test_an_interval_is_that_of_scipy() -> None:
    from scipy.stats import bootstrap as theirs

    right = answers(0.8).astype(float)
    expected = theirs((right,), np.mean, method="percentile", n_resamples=9999, rng=1)
    found = bootstrap([[share_tallies(right)]], num_samples=9999).interval(0)
    assert found == pytest.approx(tuple(expected.confidence_interval), abs=0.004)


def test_a_difference_is_paired_as_that_of_scipy() -> None:
    from scipy.stats import bootstrap as theirs

    rng = np.random.default_rng(3)
    gold, given = rng.integers(1, 5, (2, 200))
    first, second = (np.minimum(rng.integers(0, 5, 200), np.minimum(gold, given)) for _ in range(2))

    def f1(
        hits: NDArray[np.int64], whole: NDArray[np.int64], axis: int = -1
    ) -> NDArray[np.float64]:
        figure: NDArray[np.float64] = 2 * hits.sum(axis) / whole.sum(axis)
        return figure

    expected = theirs(
        (first, second, gold + given),
        lambda a, b, whole, axis=-1: f1(a, whole, axis) - f1(b, whole, axis),
        paired=True, method="percentile", n_resamples=4999, rng=1,
    )  # fmt: skip
    samples = bootstrap(
        [[f1_tallies(hits, gold, given)] for hits in (first, second)], num_samples=4999
    )
    found = percentiles(samples.samples[:, 0] - samples.samples[:, 1])
    assert found == pytest.approx(list(expected.confidence_interval), abs=0.006)
    assert samples.values[0] == pytest.approx(f1(first, gold + given))


def test_samples_are_those_of_a_loop_over_rows() -> None:
    outputs = ["a cat sat", "two dogs", "the rain", "it was red", "x"]
    references = ["a cat sits", "two dogs run", "the rains", "it was blue", "y"]
    tallies = chrf(outputs, references).tallies
    found = bootstrap([[tallies]], num_samples=50, seed=7)
    rows = np.random.default_rng(7).integers(5, size=(50, 5))
    each = [float(tallies.figure(tallies.parts[row].sum(axis=0))) for row in rows]
    np.testing.assert_allclose(found.samples[:, 0], each)
    assert found.interval(0) == pytest.approx(percentiles(each))


def test_equal_tallies_give_equal_samples_whatever_the_size_of_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    candidates = [[share_tallies(answers(0.7, seed=seed))] for seed in range(3)]
    whole = bootstrap(candidates).samples
    monkeypatch.setattr("foretext.comparison.intervals.BLOCK_DRAWS", 900)
    np.testing.assert_array_equal(bootstrap(candidates).samples, whole)


def test_many_rows_are_drawn_less_often() -> None:
    few, many = (len(bootstrap([[share_tallies(np.ones(rows))]]).samples) for rows in (100, 40_000))
    assert (few, many) == (2000, 500)


@pytest.mark.parametrize(("right", "interval"), [(1.0, (0.97, 1.0)), (0.0, (0.0, 0.03))])
def test_all_right_or_all_wrong_has_an_interval_too(
    right: float, interval: tuple[float, float]
) -> None:
    """By the rule of three: of 100 rows, three."""
    found = bootstrap([[share_tallies(np.full(100, right))]]).interval(0)
    assert found == pytest.approx(interval)


def test_seeds_are_drawn_too() -> None:
    """Two seeds that differ make the figure less sure than one: it is half their distance."""
    good, bad = share_tallies(np.ones(50)), share_tallies(np.zeros(50))
    samples = bootstrap([[good, bad]])
    assert samples.values[0] == 0.5
    assert samples.interval(0) == (0.0, 1.0)


def tie(first: Tallies, second: Tallies) -> bool:
    return bootstrap([[first], [second]]).against(0)[1].is_tie


@pytest.mark.parametrize(("rows", "is_tie"), [(3, True), (5, True), (6, False), (40, False)])
def test_all_right_against_all_wrong_is_certain_from_six_rows_on(rows: int, is_tie: bool) -> None:
    """As by the exact test of McNemar, whose p-value is 0.0625 of five rows and 0.031 of six."""
    assert tie(share_tallies(np.ones(rows)), share_tallies(np.zeros(rows))) == is_tie


def test_the_same_answers_are_a_tie() -> None:
    right = share_tallies(answers(0.8))
    found = bootstrap([[right], [right]]).against(0)
    assert found[1] == found[0]._replace(low=found[1].low, high=found[1].high)
    assert found[1].is_tie
    assert found[1].p_value == 1.0


def test_a_small_difference_on_the_same_rows_can_be_certain() -> None:
    """Ten rows of 300 that only one has right, none the other way round: McNemar's p is 0.002."""
    first = answers(0.8)
    second = first.copy()
    second[np.flatnonzero(first)[:10]] = False
    found = bootstrap([[share_tallies(first)], [share_tallies(second)]]).against(0)[1]
    assert not found.is_tie
    assert found.value == pytest.approx(-10 / 300)
    assert found.low < found.value < found.high < 0
    other = np.roll(first, 150)  # as good, on other rows
    assert tie(share_tallies(first), share_tallies(other))


def test_the_interval_holds_nothing_exactly_where_chance_explains_the_difference() -> None:
    candidates = [[share_tallies(answers(rate, seed=9 + place))] for place, rate in
                  enumerate([0.8, 0.78, 0.75, 0.72, 0.68, 0.6])]  # fmt: skip
    for found in bootstrap(candidates).against(0)[1:]:
        assert found.is_tie == (found.p_value >= 0.05)


def test_among_equals_few_are_called_worse_than_the_best() -> None:
    calls = 0
    for trial in range(30):
        rng = np.random.default_rng(trial)
        hard = rng.random(200)
        candidates = [
            [share_tallies(rng.random(200) < np.clip(hard + 0.4, 0, 1))] for _ in range(8)
        ]
        samples = bootstrap(candidates, num_samples=300, seed=trial)
        best = int(samples.values.argmax())
        calls += sum(not found.is_tie for found in samples.against(best))
    assert calls <= 0.05 * 30 * 8


def test_correlations_are_drawn_as_sums() -> None:
    rng = np.random.default_rng(0)
    right = rng.random(100)
    near, far = (rank_tallies(right, right + spread * rng.random(100)) for spread in (0.2, 3.0))
    found = bootstrap([[near], [far]])
    assert found.values[0] > 0.9 > found.values[1]
    assert not found.against(0)[1].is_tie
