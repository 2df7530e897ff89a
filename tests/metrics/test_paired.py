"""The paired test, beside McNemar's by hand and figures computed again without each row."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from foretext.metrics.correlation import pearson, spearman
from foretext.metrics.paired import (
    Tallies,
    bootstrap_difference,
    correlation_tallies,
    f1_tallies,
    paired_difference,
    rank_tallies,
    share_tallies,
)
from foretext.metrics.texts import bleu


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
    assert found == (0.0, 0.0, 3, None)
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


def test_the_bootstrap_of_a_mean_is_about_its_t_test() -> None:
    rng = np.random.default_rng(2)
    ours, theirs = rng.normal(0.3, 1, 400), rng.normal(0.0, 1, 400)
    tallies = [share_tallies(each)._replace(by_bootstrap=True) for each in (ours, theirs)]
    found = paired_difference(*tallies)
    assert found is not None
    error = (ours - theirs).std() / 20
    assert found.standard_error == pytest.approx(error, rel=0.1)
    assert found.value == pytest.approx((ours - theirs).mean())
    assert found.is_certain
    assert found == bootstrap_difference(*tallies, seed=0)
    assert found.p_value != bootstrap_difference(*tallies, seed=1, num_samples=50).p_value


def test_the_bootstrap_finds_a_difference_where_there_is_none_in_one_case_of_twenty() -> None:
    rng = np.random.default_rng(3)

    def is_certain() -> bool:
        ours, theirs = (Tallies(*share_tallies(rng.normal(size=60))[:2], True) for _ in range(2))
        return bootstrap_difference(ours, theirs, num_samples=100).is_certain

    assert np.mean([is_certain() for _ in range(200)]) == pytest.approx(0.05, abs=0.04)


def corpus(num_rows: int, kept_rate: float) -> list[str]:
    """Outputs in which so many words of a reference are right."""
    rng = np.random.default_rng(int(1000 * kept_rate))
    references = np.random.default_rng(0).integers(30, size=(num_rows, 8))
    words = np.where(rng.random((num_rows, 8)) < kept_rate, references, 99)
    return [" ".join(f"w{word}" for word in row) for row in words]


@pytest.mark.parametrize(("rate", "is_better"), [(0.8, True), (0.702, False)])
def test_of_bleu_it_says_what_sacrebleu_says(rate: float, is_better: bool) -> None:
    references, ours, theirs = (corpus(120, each) for each in (1.0, rate, 0.7))
    found = paired_difference(bleu(ours, references).tallies, bleu(theirs, references).tallies)
    assert found is not None
    assert found.is_certain is is_better
    systems = [("theirs", theirs), ("ours", ours)]
    test = PairedTest(systems, {"BLEU": BLEU()}, [references], "bs", n_samples=1000)
    _, scores = test()
    assert found.value == pytest.approx(scores["BLEU"][1].score - scores["BLEU"][0].score)
    assert (scores["BLEU"][1].p_value < 0.05) is is_better
