"""Self-training: which texts are taken, and that they teach."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from foretext.tasks.classification.embeddings.logistic_head import (
    Targets,
    fitted_head,
)
from foretext.tasks.classification.embeddings.self_training import (
    MASS,
    OwnLabels,
    own_labels,
    self_trained_head,
)


def test_the_surest_of_each_class_are_taken() -> None:
    teacher = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2], [0.7, 0.3], [0.45, 0.55]])
    found = own_labels(teacher, sure_rate=0.5)
    assert found.rows.tolist() == [0, 2, 4]  # two of the four of the first class, and the only one
    assert found.labels.tolist() == [0, 0, 1]


def test_a_class_that_no_text_gets_is_left_out() -> None:
    found = own_labels(np.array([[0.6, 0.3, 0.1], [0.5, 0.4, 0.1]]), sure_rate=1.0)
    assert found.labels.tolist() == [0, 0]


def test_texts_count_as_rows_of_their_label() -> None:
    rng = np.random.default_rng(0)
    rows, more = rng.normal(size=(8, 3)), rng.normal(size=(6, 3))
    targets = Targets.of_classes(np.arange(8) % 2, 2)
    own = OwnLabels(np.array([1, 4]), np.array([1, 0]))
    every = Targets.of_classes(np.r_[np.arange(8) % 2, 1, 0], 2)
    expected = fitted_head(np.vstack([rows, more[[1, 4]]]), every, 1.0)
    found = self_trained_head(rows, targets, more, own, 1.0)
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-4)
    sparse = self_trained_head(csr_matrix(rows), targets, csr_matrix(more), own, 1.0)
    np.testing.assert_allclose(sparse.weights, found.weights, atol=1e-4)


def test_words_that_no_text_has_weigh_nothing() -> None:
    rng = np.random.default_rng(1)
    rows, more = rng.normal(size=(9, 4)), rng.normal(size=(5, 4))
    rows[:, 2] = more[:, 2] = 0.0
    targets = Targets.of_classes(np.arange(9) % 3, 3)
    own = OwnLabels(np.array([0, 3]), np.array([2, 1]))
    expected = self_trained_head(rows, targets, more, own, 1.0)
    found = self_trained_head(csr_matrix(rows), targets, csr_matrix(more), own, 1.0)
    assert not found.weights[2].any()
    np.testing.assert_allclose(found.weights, expected.weights, atol=1e-4)


def test_many_texts_together_weigh_no_more_than_so_many_rows() -> None:
    rows = np.array([[1.0], [-1.0]])
    targets = Targets.of_classes(np.array([0, 1]), 2)
    own = OwnLabels(np.zeros(1000, np.int64), np.zeros(1000, np.int64))
    few = OwnLabels(np.zeros(int(2 * MASS), np.int64), np.zeros(int(2 * MASS), np.int64))
    heads = [self_trained_head(rows, targets, np.array([[0.2]]), each, 1.0) for each in (own, few)]
    np.testing.assert_allclose(heads[0].weights, heads[1].weights, atol=1e-4)
