"""The chain as a regression: enumerated paths, finite differences, and CRFsuite's likelihood."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from foretext.base.errors import SettingError
from foretext.tasks.tagging import chain_regression
from foretext.tasks.tagging.chain_regression import (
    ChainFeatures,
    Lawful,
    learn_chain,
    negative_log_likelihood,
    observed_sums,
)

LABELS = ("B-X", "I-X", "O")
LAWFUL = Lawful.of(LABELS, "IOB2")
FREE = Lawful.of(LABELS, None)
TAGS = np.array([0, 1, 2, 2, 0, 2])  # of two sentences, and one without tokens


def some_features(seed: int = 0) -> ChainFeatures:
    """Five names, and vectors of three words at two places."""
    rng = np.random.default_rng(seed)
    sparse = csr_matrix((rng.random((6, 5)) < 0.5).astype(float))
    beside = [csr_matrix(np.eye(3)[rng.integers(0, 3, 6)]) for _ in range(2)]
    starts = np.array([0, 4, 4, 6])
    return ChainFeatures(sparse, rng.normal(size=(3, 2)), tuple(beside), starts)


def dense(features: ChainFeatures) -> np.ndarray:
    parts = [features.sparse.toarray()]
    parts += [beside.toarray() @ features.vectors for beside in features.neighbors]
    return np.hstack(parts)


def test_scores_and_sums_are_those_of_all_columns() -> None:
    features, rng = some_features(), np.random.default_rng(1)
    whole = dense(features)
    assert whole.shape == (6, features.num_weights)
    weights, values = rng.normal(size=(9, 3)), rng.normal(size=(6, 3))
    np.testing.assert_allclose(features.scores(weights), whole @ weights)
    np.testing.assert_allclose(features.sums(values), whole.T @ values)


@pytest.mark.parametrize("lawful", [LAWFUL, FREE], ids=["BIO", "free"])
def test_the_loss_is_that_of_all_paths(lawful: Lawful) -> None:
    features, rng = some_features(), np.random.default_rng(2)
    weights, steps = rng.normal(size=(9, 3)), rng.normal(size=(3, 3))
    scores, expected = dense(features) @ weights, 0.0
    for first, last in itertools.pairwise(features.starts.tolist()):
        own, right = scores[first:last], tuple(TAGS[first:last])
        if first == last:
            continue
        totals = {
            path: sum(own[t, tag] for t, tag in enumerate(path))
            + sum(steps[pair] for pair in itertools.pairwise(path))
            for path in itertools.product(range(3), repeat=last - first)
            if lawful.first[path[0]]
            and lawful.last[path[-1]]
            and all(lawful.steps[pair] for pair in itertools.pairwise(path))
        }
        expected += float(np.logaddexp.reduce([*totals.values()]) - totals[right])
    observed = observed_sums(features, TAGS, 3)
    found, _ = negative_log_likelihood(features, observed, lawful, weights, steps)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("lawful", [LAWFUL, FREE], ids=["BIO", "free"])
def test_the_gradient_is_that_of_finite_differences(lawful: Lawful) -> None:
    features, rng = some_features(), np.random.default_rng(3)
    weights, steps = rng.normal(size=(9, 3)), rng.normal(size=(3, 3))
    observed = observed_sums(features, TAGS, 3)

    def loss() -> float:
        return negative_log_likelihood(features, observed, lawful, weights, steps)[0]

    _, gradients = negative_log_likelihood(features, observed, lawful, weights, steps)
    for array, gradient in zip((weights, steps), gradients, strict=True):
        for place in np.ndindex(array.shape):
            before, far = array[place], 1e-5
            array[place] = before + far
            above = loss()
            array[place] = before - far
            difference = (above - loss()) / (2 * far)
            array[place] = before
            assert gradient[place] == pytest.approx(difference, abs=1e-6)


def test_it_learns_what_crfsuite_learns(tmp_path: Any) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    rng = np.random.default_rng(4)
    sentences = [[f"w{word}" for word in rng.integers(0, 6, rng.integers(1, 7))] for _ in range(30)]
    tags = [["A" if word in ("w1", "w2") or rng.random() < 0.2 else "B" for word in sentence]
            for sentence in sentences]  # fmt: skip
    penalty = 0.5
    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence, own in zip(sentences, tags, strict=True):
        trainer.append([[word] for word in sentence], own)
    trainer.set_params(
        {"c1": 0.0, "c2": penalty, "epsilon": 1e-9, "delta": 1e-12, "max_iterations": 2000,
         "feature.possible_states": True, "feature.possible_transitions": True}
    )  # fmt: skip
    trainer.train(str(tmp_path / "model"))
    theirs = pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "model"))
    places = np.array([int(word[1:]) for sentence in sentences for word in sentence])
    starts = np.cumsum([0, *map(len, sentences)])
    features = ChainFeatures(csr_matrix(np.eye(6)[places]), np.zeros((0, 0)), (), starts)
    right = np.array(["AB".index(tag) for own in tags for tag in own])
    # Its penalty is c2 |w|², ours |w|² / (2 C).
    chain = learn_chain(
        features, right, Lawful.of("AB", None), 1 / (2 * penalty), 2000, tolerance=1e-9
    )
    info = theirs.info()
    for word in range(6):
        for place, tag in enumerate("AB"):
            expected = info.state_features[f"w{word}", tag]
            assert chain.weights[word, place] == pytest.approx(expected, abs=2e-3)
    for (a, b), expected in info.transitions.items():
        assert chain.steps["AB".index(a), "AB".index(b)] == pytest.approx(expected, abs=2e-3)


def test_a_heavier_penalty_leaves_smaller_weights() -> None:
    features = some_features()
    sizes = [
        np.abs(learn_chain(features, TAGS, LAWFUL, strength, 100).weights).sum()
        for strength in (0.01, 1.0, 100.0)
    ]
    assert sizes == sorted(sizes)


def test_passes_have_an_end_and_are_told() -> None:
    reported: list[float] = []
    learn_chain(some_features(), TAGS, LAWFUL, 1.0, 3, report=reported.append)
    assert 3 <= len(reported) <= 8
    assert reported[-1] < reported[0] == pytest.approx(reported[0])


def test_what_the_memory_does_not_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foretext.base.runtime.free_memory", lambda: 100)
    with pytest.raises(SettingError, match="linear tagger of 3 tags and 9 features needs about"):
        learn_chain(some_features(), TAGS, LAWFUL, 1.0, 3)
    assert chain_regression.COPIES > 2
