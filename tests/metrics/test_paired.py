"""The paired test, beside McNemar's by hand and figures computed again without each row."""

from __future__ import annotations

import numpy as np
import pytest

from foretext.metrics.correlation import pearson, spearman
from foretext.metrics.paired import (
    correlation_tallies,
    f1_tallies,
    paired_difference,
    rank_tallies,
    share_tallies,
)


def answers(both: int, first: int, second: int, neither: int) -> tuple[list[int], list[int]]:
    """Rows that both models, one of them, or none answer right."""
    ours = [1] * (both + first) + [0] * (second + neither)
    return ours, [1] * both + [0] * first + [1] * second + [0] * neither


@pytest.mark.parametrize("counts", [(50, 20, 5, 25), (0, 3, 9, 0), (7, 1, 0, 1)])
def test_of_accuracy_it_is_the_test_of_mcnemar(counts: tuple[int, int, int, int]) -> None:
    ours, theirs = answers(*counts)
    _, b, c, _ = counts
    found = paired_difference(share_tallies(ours), share_tallies(theirs))
    assert found is not None
    statistic = (abs(b - c) - 1) ** 2 / (b + c)  # with the correction of Edwards
    corrected = abs(found.value) - 1 / found.num_rows
    assert (corrected / found.standard_error) ** 2 == pytest.approx(statistic)
    assert found.value == pytest.approx((b - c) / sum(counts))
    assert found.is_certain == (statistic > 3.8415)  # the quantile of chi squared


def test_few_rows_that_differ_prove_nothing() -> None:
    for number, certain in ((1, False), (4, False), (5, False), (6, True)):  # exact test: 6, too
        ours, theirs = answers(20, number, 0, 20)
        found = paired_difference(share_tallies(ours), share_tallies(theirs))
        assert found is not None
        assert found.is_certain is certain


def test_the_same_answers_do_not_differ() -> None:
    found = paired_difference(share_tallies([1, 0, 1]), share_tallies([1, 0, 1]))
    assert found == (0.0, 0.0, 3)
    assert not found.is_certain
    assert paired_difference(share_tallies([1]), share_tallies([0])) is None


def test_pseudovalues_leave_each_row_out() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=12), rng.normal(size=12)
    tallies = correlation_tallies(x, y)
    without = [pearson(np.delete(x, i), np.delete(y, i)) for i in range(12)]
    assert tallies.pseudovalues() == pytest.approx(12 * pearson(x, y) - 11 * np.array(without))
    hits, right, given = np.array([1, 0, 2]), np.array([2, 1, 2]), np.array([1, 3, 2])
    f1 = f1_tallies(hits, right, given)
    whole = 2 * 3 / (5 + 6)
    assert f1.figure(f1.parts.sum(axis=0)) == pytest.approx(whole)
    assert f1.pseudovalues()[1] == pytest.approx(3 * whole - 2 * (2 * 3 / (4 + 3)))


def test_a_rank_correlation_is_that_of_the_ranks() -> None:
    x, y = [1.0, 2.0, 4.0, 3.0], [10.0, 20.0, 20.0, 15.0]
    tallies = rank_tallies(x, y)
    assert tallies.figure(tallies.parts.sum(axis=0)) == pytest.approx(spearman(x, y))
    constant = rank_tallies(x, [1.0] * 4)
    assert constant.figure(constant.parts.sum(axis=0)) == 0


def test_the_standard_error_is_about_that_of_many_samples() -> None:
    """F1 of entities: the spread over drawn samples of two models that are equally good."""
    rng = np.random.default_rng(1)

    def drawn() -> tuple[float, float]:
        right = rng.poisson(3, 400)
        models = [f1_tallies(rng.binomial(right, 0.7), right, right) for _ in range(2)]
        found = paired_difference(*models)
        assert found is not None
        return found.value, found.standard_error

    values, errors = np.array([drawn() for _ in range(300)]).T
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.2)
