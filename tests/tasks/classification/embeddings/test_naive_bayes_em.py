"""Naive Bayes with EM: by hand without unlabelled texts, and its law with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from foretext.tasks.classification.embeddings import naive_bayes_em as naive_bayes_em_module
from foretext.tasks.classification.embeddings.logistic_head import Targets
from foretext.tasks.classification.embeddings.naive_bayes_em import (
    SMOOTHING,
    chosen_temperature,
    naive_bayes_by_weights,
    naive_bayes_em,
)

WORDS = ["ball", "goal", "vote", "law"]


def texts(*rows: str) -> csr_matrix:
    """How often each of the four words is in each text."""
    return csr_matrix([[row.split().count(word) for word in WORDS] for row in rows], dtype=float)


def test_without_unlabelled_texts_it_counts_words_by_class() -> None:
    present = texts("ball goal", "ball", "vote law")
    found = naive_bayes_em(present, Targets.of_classes(np.array([0, 0, 1]), 2), texts("law"), 0.0)
    sport = np.array([2, 1, 0, 0]) + SMOOTHING
    np.testing.assert_allclose(np.exp(found.words[:, 0]), sport / sport.sum())
    np.testing.assert_allclose(np.exp(found.classes), [3 / 5, 2 / 5])  # each class has 1 more


def test_a_word_that_only_unlabelled_texts_have_takes_the_class_of_its_neighbours() -> None:
    present = texts("ball", "vote")
    more = texts(*["ball goal"] * 5, *["vote law"] * 5)
    found = naive_bayes_em(present, Targets.of_classes(np.array([0, 1]), 2), more, 1.0)
    assert found.sums(texts("goal", "law")).argmax(1).tolist() == [0, 1]
    alone = naive_bayes_em(present, Targets.of_classes(np.array([0, 1]), 2), more, 0.0)
    np.testing.assert_allclose(*alone.sums(texts("goal")).T)  # it knows nothing of this word


@pytest.mark.parametrize("weight", [0.03, 0.5, 1.0])
@pytest.mark.parametrize("num_labels", [2, 4])
def test_the_likelihood_never_falls(weight: float, num_labels: int) -> None:
    rng = np.random.default_rng(num_labels)
    words = rng.dirichlet(np.full(30, 0.2), num_labels)
    labels = np.arange(60) % num_labels
    drawn = csr_matrix([rng.multinomial(12, words[label]) for label in labels], dtype=float)
    targets = Targets.of_classes(labels[:12], num_labels)
    found = naive_bayes_em(drawn[:12], targets, drawn[12:], weight, steps=30)
    assert len(found.likelihoods) > 2
    assert np.diff(found.likelihoods).min() > -1e-9 * abs(found.likelihoods[0])


@pytest.mark.parametrize("most_numbers", [1, 1 << 22])
def test_models_learned_together_are_those_learned_one_by_one(
    monkeypatch: pytest.MonkeyPatch, most_numbers: int
) -> None:
    monkeypatch.setattr(naive_bayes_em_module, "MOST_NUMBERS", most_numbers)
    rng = np.random.default_rng(5)
    drawn = csr_matrix(rng.integers(0, 3, (40, 12)), dtype=float)
    targets = Targets.of_classes(np.arange(10) % 3, 3)
    weights = rng.integers(0, 2, (4, 10)).astype(float)
    weights[0] = 1.0
    together = naive_bayes_by_weights(drawn[:10], targets, weights, drawn[10:], 0.5)
    for own, found in zip(weights, together, strict=True):
        kept = np.flatnonzero(own)
        alone = naive_bayes_em(drawn[kept], targets.part(kept), drawn[10:], 0.5)
        np.testing.assert_allclose(found.words, alone.words, rtol=1e-9)
        np.testing.assert_allclose(found.classes, alone.classes, rtol=1e-9)
        np.testing.assert_allclose(found.likelihoods, alone.likelihoods, rtol=1e-9)


@pytest.mark.parametrize("num_labels", [2, 3])
def test_the_head_answers_alike(num_labels: int) -> None:
    present = texts("ball goal", "vote law", "law ball")[:num_labels]
    targets = Targets.of_classes(np.arange(num_labels), num_labels)
    found = naive_bayes_em(present, targets, texts("goal law"), 0.3)
    sums = found.sums(present) / 5.0
    expected = np.exp(sums - np.log(np.exp(sums).sum(1, keepdims=True)))
    np.testing.assert_allclose(found.head(5.0).probabilities(present, are_sets=False), expected)


def test_what_is_too_sure_gets_a_high_temperature() -> None:
    sums = np.array([[40.0, 0.0]] * 6 + [[0.0, 40.0]] * 6)
    right = Targets.of_classes(np.array([0] * 6 + [1] * 6), 2)
    assert chosen_temperature(sums, right) == 1.0
    half = Targets.of_classes(np.array([0, 0, 0, 0, 1, 1] * 2), 2)
    assert chosen_temperature(sums, half) >= 50.0
