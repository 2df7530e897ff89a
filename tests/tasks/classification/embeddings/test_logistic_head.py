from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from foretext.tasks.classification.embeddings.logistic_head import (
    LogisticHead,
    Targets,
    cross_entropies,
    fitted_head,
    reduced,
)

RNG = np.random.default_rng(3)


def drawn(num_rows: int, size: int, num_labels: int) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(num_rows + size)
    features = rng.standard_normal((num_rows, size))
    classes = rng.permutation(np.arange(num_rows) % num_labels)
    features[:, 0] += classes
    return features, classes


@pytest.mark.parametrize("inverse_penalty", [0.1, 3.0])
@pytest.mark.parametrize("num_labels", [2, 3, 5])
def test_it_is_the_regression_of_scikit_learn(num_labels: int, inverse_penalty: float) -> None:
    features, classes = drawn(80, 7, num_labels)
    own = fitted_head(features, Targets.of_classes(classes, num_labels), inverse_penalty)
    theirs = LogisticRegression(C=inverse_penalty, tol=1e-8, max_iter=1000).fit(features, classes)
    expected = theirs.predict_proba(features)
    assert np.allclose(own.probabilities(features, are_sets=False), expected, atol=1e-4)
    if num_labels == 2:
        assert own.weights.shape == (7, 1)


def test_several_labels_are_a_regression_each() -> None:
    features, classes = drawn(60, 5, 3)
    sets = np.eye(3)[classes]
    sets[:20, 1] = 1.0
    own = fitted_head(features, Targets(sets, np.ones(60), are_sets=True), 1.0)
    found = own.probabilities(features, are_sets=True)
    for label in range(3):
        alone = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(features, sets[:, label])
        assert np.allclose(found[:, label], alone.predict_proba(features)[:, 1], atol=1e-4)


@pytest.mark.parametrize("num_labels", [2, 4])
def test_a_soft_target_is_a_row_for_each_label_with_its_share(num_labels: int) -> None:
    features, _ = drawn(12, 4, num_labels)
    soft = np.random.default_rng(1).dirichlet(np.ones(num_labels), 12)
    own = fitted_head(features, Targets(soft, np.full(12, 2.0)), 1.0)
    rows = np.repeat(features, num_labels, axis=0)
    classes = np.tile(np.arange(num_labels), 12)
    repeated = Targets(np.eye(num_labels)[classes], 2.0 * soft.ravel())
    other = fitted_head(rows, repeated, 1.0)
    assert np.allclose(own.weights, other.weights, atol=2e-3)


def test_a_weight_is_a_row_several_times() -> None:
    features, classes = drawn(20, 4, 3)
    weights = np.where(np.arange(20) < 5, 3.0, 1.0)
    own = fitted_head(features, Targets(np.eye(3)[classes], weights), 1.0)
    times = weights.astype(int)
    other = fitted_head(
        np.repeat(features, times, axis=0), Targets.of_classes(np.repeat(classes, times), 3), 1.0
    )
    assert np.allclose(own.weights, other.weights, atol=2e-3)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_few_rows_of_many_features_lose_nothing(is_sparse: bool) -> None:
    features, classes = drawn(15, 60, 3)
    features[np.abs(features) < 0.8] = 0.0
    given: Any = csr_matrix(features) if is_sparse else features
    small = reduced(given)
    assert small.features.shape == (15, 15)
    targets = Targets.of_classes(classes, 3)
    own = small.whole(fitted_head(small.features, targets, 2.0))
    other = fitted_head(features, targets, 2.0)
    assert own.weights.shape == (60, 3)
    assert np.allclose(own.weights, other.weights, atol=2e-3)


def test_many_rows_stay_as_they_are() -> None:
    features, _ = drawn(20, 5, 2)
    assert reduced(features).features is features


def test_a_start_leads_to_the_same_head() -> None:
    features, classes = drawn(50, 6, 3)
    targets = Targets.of_classes(classes, 3)
    near = fitted_head(features, targets, 0.5)
    own, other = fitted_head(features, targets, 1.0, near), fitted_head(features, targets, 1.0)
    assert np.allclose(own.weights, other.weights, atol=2e-3)


def test_cross_entropies_by_hand() -> None:
    answers = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    one = Targets(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.ones(2))
    assert cross_entropies(answers, one) == pytest.approx([np.log(2), -np.log(1e-12)])
    sets = Targets(np.array([[1.0, 1.0, 0.0]]), np.ones(1), are_sets=True)
    expected = np.log(2) + np.log(4) + np.log(4 / 3)
    assert cross_entropies(answers[:1], sets) == pytest.approx([expected])


def test_a_head_of_one_output_speaks_for_the_second_label() -> None:
    head = LogisticHead(np.array([[np.log(3.0)]]), np.zeros(1))
    found = head.probabilities(np.array([[1.0], [0.0]]), are_sets=False)
    assert np.allclose(found, [[0.25, 0.75], [0.5, 0.5]])
