from __future__ import annotations

import numpy as np
import pytest

from foretext.tasks.classification.embeddings.cross_validation import (
    GRID,
    MANY_ROWS,
    chosen_strength,
    held_out_rows,
    mean_loss,
    out_of_fold,
    right_rate,
    stratified_splits,
)
from foretext.tasks.classification.embeddings.logistic_head import Targets, fitted_head


@pytest.mark.parametrize(
    "counts", [{"a": 10, "b": 10}, {"a": 17, "b": 2, "c": 1}, {"a": 2, "b": 2}, {"a": 90, "b": 2}]
)
def test_every_class_is_learned_from_and_answered(counts: dict[str, int]) -> None:
    strata = [label for label, count in counts.items() for _ in range(count)]
    splits = stratified_splits(strata, 5, seed=1)
    held_out = {strata[row] for row in held_out_rows(splits)}
    assert held_out == {label for label, count in counts.items() if count > 1}
    for split in splits:
        assert {strata[row] for row in split.learned} == {*counts}
        assert sorted([*split.learned, *split.held_out]) == list(range(len(strata)))


def test_each_row_is_held_out_as_often_as_the_others() -> None:
    splits = stratified_splits(["a", "b"] * 10, 5, seed=0)
    times = np.bincount(held_out_rows(splits))
    assert set(times.tolist()) == {4}
    assert splits[0].held_out.tolist() != splits[5].held_out.tolist()  # cut anew


def test_classes_of_one_row_each_cannot_be_held_out() -> None:
    assert stratified_splits(["a", "b", "c"], 5, seed=0) == []


def test_many_rows_are_split_once() -> None:
    strata = ["a", "b"] * (MANY_ROWS // 2)
    (split,) = stratified_splits(strata, 5, seed=0)
    assert len(split.held_out) == MANY_ROWS // 5


def test_rows_are_answered_by_heads_that_have_not_seen_them() -> None:
    rng = np.random.default_rng(0)
    features, targets = rng.standard_normal((20, 3)), Targets.of_classes(np.arange(20) % 2, 2)
    splits = stratified_splits(["a", "b"] * 10, 4, seed=0)
    answers, heads = out_of_fold(features, targets, splits, 1.0)
    assert len(heads) == len(splits)
    first = splits[0]
    head = fitted_head(features[first.learned], targets.part(first.learned), 1.0)
    own = head.probabilities(features[first.held_out], are_sets=False)
    assert np.allclose(answers[: len(own)], own, atol=1e-3)


@pytest.mark.parametrize("seed", [0, 1])
def test_noise_gets_a_stronger_penalty_than_what_is_clean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes = np.arange(60) % 2
    noise = rng.standard_normal((60, 20)) / np.sqrt(20)
    clean = noise + np.outer(2 * classes - 1, np.ones(20))
    targets = Targets.of_classes(classes, 2)
    splits = stratified_splits(classes.tolist(), 5, seed=0)
    found = [chosen_strength(each, targets, splits) for each in (noise, clean)]
    assert found[0].inverse_penalty < 1.0 < found[1].inverse_penalty
    assert found[0].log_loss == pytest.approx(np.log(2), abs=0.05)
    assert found[1].log_loss < 0.05
    assert all(each.inverse_penalty in GRID for each in found)


def test_loss_and_rate_by_hand() -> None:
    answers = np.array([[0.5, 0.5], [0.75, 0.25], [0.2, 0.8]])
    targets = Targets(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]), np.array([1.0, 1.0, 2.0]))
    expected = (np.log(2) + np.log(4 / 3) + 2 * np.log(5)) / 4
    assert mean_loss(answers, targets) == pytest.approx(expected)
    assert right_rate(answers, targets) == 0.5
    sets = Targets(np.array([[1.0, 1.0]]), np.ones(1), are_sets=True)
    assert right_rate(np.array([[0.6, 0.9]]), sets) == 1.0
    assert right_rate(np.array([[0.6, 0.4]]), sets) == 0.0
