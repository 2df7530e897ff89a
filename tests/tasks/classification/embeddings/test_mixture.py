from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from foretext.tasks.classification.embeddings.logistic_head import Targets
from foretext.tasks.classification.embeddings.mixture import mixed, mixture_weights


def views(num_rows: int) -> tuple[NDArray[Any], Targets]:
    """One view that knows, and one that guesses."""
    classes = np.arange(num_rows) % 2
    knows = np.where(np.eye(2)[classes] > 0, 0.9, 0.1)
    return np.array([knows, np.full((num_rows, 2), 0.5)]), Targets.of_classes(classes, 2)


def test_many_rows_choose_the_view_that_knows() -> None:
    assert mixture_weights(*views(2000))[0] > 0.95


def test_few_rows_leave_the_weights_near_equal() -> None:
    first, second = mixture_weights(*views(10))
    assert first + second == pytest.approx(1)
    assert 0.5 < first < 0.8


def test_without_a_prior_it_is_the_likeliest_mixture() -> None:
    rng = np.random.default_rng(0)
    answers = rng.dirichlet(np.ones(3), (2, 50))  # (V, N, C)
    targets = Targets.of_classes(rng.integers(0, 3, 50), 3)
    found = mixture_weights(answers, targets, prior_rows=0.0)

    def loss(first: float) -> float:
        both = mixed(answers, np.array([first, 1 - first]))
        return float(-np.log((both * targets.probabilities).sum(1)).sum())

    best = minimize_scalar(loss, bounds=(0, 1), method="bounded").x
    assert found[0] == pytest.approx(best, abs=2e-3)


def test_a_row_that_was_answered_twice_counts_once() -> None:
    answers, targets = views(30)
    twice = np.concatenate([answers, answers], axis=1)
    halves = Targets(np.tile(targets.probabilities, (2, 1)), np.full(60, 0.5))
    assert np.allclose(mixture_weights(twice, halves), mixture_weights(answers, targets))


def test_several_labels_are_an_answer_each() -> None:
    wanted = np.tile([[1.0, 1.0, 0.0]], (500, 1))
    knows = np.where(wanted > 0, 0.9, 0.1)
    answers = np.array([np.full_like(knows, 0.5), knows])
    weights = mixture_weights(answers, Targets(wanted, np.ones(500), are_sets=True))
    assert weights[1] > 0.9


def test_the_mixture_by_hand() -> None:
    found = mixed([np.array([[0.2, 0.8]]), np.array([[0.6, 0.4]])], np.array([0.75, 0.25]))
    assert np.allclose(found, [[0.3, 0.7]])
