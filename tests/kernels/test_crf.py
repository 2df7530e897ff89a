from __future__ import annotations

import itertools

import numpy as np
import pytest

from foretext.kernels.crf import expectations, padded_tags
from foretext.kernels.viterbi import best_paths


def problem(num_tags: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores (N, C), transitions (C, C), starts of sentences of 3, 0, 1 and 4 tokens."""
    random = np.random.default_rng(num_tags)
    transitions = random.normal(0, 2, (num_tags, num_tags))
    transitions[0, -1] = -np.inf
    return random.normal(0, 2, (8, num_tags)), transitions, np.array([0, 3, 3, 4, 8])


def paths(scores: np.ndarray, transitions: np.ndarray) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """All paths of one sentence and their scores."""
    T, C = scores.shape
    found = list(itertools.product(range(C), repeat=T))
    totals = [
        sum(scores[t, tag] for t, tag in enumerate(path))
        + sum(transitions[a, b] for a, b in itertools.pairwise(path))
        for path in found
    ]
    return found, np.array(totals)


@pytest.mark.parametrize("num_tags", [1, 2, 5, 9])
def test_sums_over_all_paths(num_tags: int) -> None:
    scores, transitions, starts = problem(num_tags)
    if num_tags == 1:
        transitions[:] = 0.5
    log_partition, tags, steps = 0.0, np.zeros_like(scores), np.zeros_like(transitions)
    for first, last in itertools.pairwise(starts):
        if first == last:
            continue
        found, totals = paths(scores[first:last], transitions)
        total = np.logaddexp.reduce(totals)
        log_partition += total
        for path, share in zip(found, np.exp(totals - total), strict=True):
            tags[np.arange(first, last), path] += share
            for step in itertools.pairwise(path):
                steps[step] += share
    result = expectations(scores, transitions, starts)
    assert result.log_partition == pytest.approx(log_partition)
    np.testing.assert_allclose(result.tags, tags, atol=1e-12)
    np.testing.assert_allclose(result.steps, steps, atol=1e-12)
    assert expectations(scores, transitions, starts, learns=False) == (
        result.log_partition,
        None,
        None,
    )


@pytest.mark.parametrize("num_tags", [1, 2, 5, 9])
def test_the_best_of_all_paths(num_tags: int) -> None:
    scores, transitions, starts = problem(num_tags)
    if num_tags == 1:
        transitions[:] = 0.5
    best: list[int] = []
    for first, last in itertools.pairwise(starts):
        found, totals = paths(scores[first:last], transitions)
        best += found[int(totals.argmax())]
    assert best_paths(scores, transitions, starts).tolist() == best


def test_of_equal_paths_the_first_tags_win() -> None:
    tags = best_paths(np.zeros((3, 9)), np.zeros((9, 9)), np.array([0, 3]))
    assert tags.tolist() == [0, 0, 0]


def test_large_scores_are_brought_down() -> None:
    scores, transitions, starts = problem(5)
    result, shifted = (
        expectations(each, transitions, starts) for each in (scores, scores + 1000.0)
    )
    assert shifted.log_partition == pytest.approx(result.log_partition + 8000.0)
    np.testing.assert_allclose(shifted.tags, result.tags, atol=1e-9)


def test_nothing_to_sum() -> None:
    result = expectations(np.zeros((0, 3)), np.zeros((3, 3)), np.array([0, 0]))
    assert result.log_partition == 0
    assert best_paths(np.zeros((0, 3)), np.zeros((3, 3)), np.array([0, 0])).tolist() == []


def test_rows_are_whole_registers() -> None:
    assert [padded_tags(number) for number in (1, 8, 9)] == [8, 8, 16]
