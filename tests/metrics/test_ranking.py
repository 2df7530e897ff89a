from __future__ import annotations

import numpy as np
import pytest

from foretext.metrics.ranking import area_under_curve, average_precision, best_accuracy, best_f1

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("digits", [1, 8])
def test_same_figures_as_scikit_learn(digits: int) -> None:
    """With few digits many scores are equal."""
    metrics = pytest.importorskip("sklearn.metrics")
    positive = RNG.random(200) < 0.3
    scores = np.round(RNG.standard_normal(200) + positive, digits)
    assert average_precision(positive, scores) == pytest.approx(
        metrics.average_precision_score(positive, scores)
    )
    assert area_under_curve(positive, scores) == pytest.approx(
        metrics.roc_auc_score(positive, scores)
    )
    for best, measure in (
        (best_accuracy(positive, scores), metrics.accuracy_score),
        (best_f1(positive, scores), metrics.f1_score),
    ):
        every = [measure(positive, scores >= cut) for cut in np.unique(scores)]
        assert best.value == pytest.approx(max(every))
        assert best.value == pytest.approx(measure(positive, scores > best.threshold - 1e-12))
        answers = scores > best.threshold - 1e-12
        assert best.precision == pytest.approx(metrics.precision_score(positive, answers))
        assert best.recall == pytest.approx(metrics.recall_score(positive, answers))


def test_worked_by_hand() -> None:
    positive, scores = [True, False, True, False], [0.9, 0.7, 0.4, 0.2]
    assert average_precision(positive, scores) == pytest.approx((1 + 2 / 3) / 2)
    assert area_under_curve(positive, scores) == 0.75
    assert best_accuracy(positive, scores)[:2] == pytest.approx((0.75, 0.8))
    assert best_f1(positive, scores)[:2] == pytest.approx((0.8, 0.3))


def test_what_cannot_be_ranked() -> None:
    for measure in (average_precision, area_under_curve, best_accuracy, best_f1):
        with pytest.raises(ValueError, match="needed"):
            measure([False, False], [1.0, 2.0])
    with pytest.raises(ValueError, match="positives and negatives"):
        area_under_curve([True, True], [1.0, 2.0])
