"""Figures of retrieval: worked examples by hand, and nDCG against scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from foretext.metrics.retrieval import (
    RelevantRanks,
    mean_reciprocal_rank,
    ndcg,
    ranks_of_right,
    recall,
    relevant_ranks,
    retrieval_figures,
)

ONE_FOUND = RelevantRanks([3], 1)
NONE_FOUND = RelevantRanks([], 1)
TWO_OF_THREE = RelevantRanks([1, 12], 3)


def test_worked_example() -> None:
    found = [ONE_FOUND, NONE_FOUND, TWO_OF_THREE]
    assert recall(found, 1) == pytest.approx((0 + 0 + 1) / 3)  # one place for three: full
    assert recall(found, 10) == pytest.approx((1 + 0 + 1 / 3) / 3)
    assert recall(found, 100) == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert mean_reciprocal_rank(found, 10) == pytest.approx((1 / 3 + 0 + 1) / 3)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(found, 10) == pytest.approx((1 / math.log2(4) + 0 + 1 / best) / 3)


def test_reciprocal_rank_is_cut_at_k() -> None:
    assert mean_reciprocal_rank([ONE_FOUND], 2) == 0
    assert mean_reciprocal_rank([ONE_FOUND], 3) == pytest.approx(1 / 3)


@pytest.mark.parametrize("k", [1, 5, 10, 40])
def test_ndcg_is_that_of_sklearn(k: int) -> None:
    rng = np.random.default_rng(3)
    relevant = rng.random((30, 40)) < 0.1
    relevant[np.arange(30), rng.integers(0, 40, 30)] = True
    scores = rng.permuted(np.tile(np.arange(40.0), (30, 1)), axis=1)
    order = np.argsort(-scores, axis=1)
    found = [
        relevant_ranks(row.tolist(), set(np.flatnonzero(is_relevant).tolist()))
        for row, is_relevant in zip(order, relevant, strict=True)
    ]
    assert ndcg(found, k) == pytest.approx(ndcg_score(relevant, scores, k=k))


def test_ranks_of_the_right_column() -> None:
    scores = [[0.9, 0.5, 0.1], [0.9, 0.5, 0.1], [0.2, 0.2, 0.2], [0.1, float("nan"), 0.3]]
    found = ranks_of_right(scores, [0, 2, 1, 1])
    assert [query.ranks for query in found] == [[1], [3], [3], [3]]
    assert all(query.num_relevant == 1 for query in found)


def test_all_figures_of_a_perfect_search() -> None:
    figures = retrieval_figures([RelevantRanks([1, 2], 2)] * 3)
    assert set(figures) == {"recall@1", "recall@10", "recall@100", "mrr@10", "ndcg@10"}
    assert set(figures.values()) == {1.0}


def test_no_query_is_no_number() -> None:
    assert math.isnan(recall([], 10))
