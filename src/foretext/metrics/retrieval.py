"""How far up a search puts what answers a query; pure functions of ranks.

Recall is the share of what is relevant among the first k results. The reciprocal rank and the
discounted gain (Järvelin and Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques")
also say how high the relevant ones stand: every relevant result has the gain 1.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "RelevantRanks",
    "mean_reciprocal_rank",
    "ndcg",
    "ranks_of_right",
    "recall",
    "relevant_ranks",
    "retrieval_figures",
]


class RelevantRanks(NamedTuple):
    """Where the relevant results of one query stand."""

    ranks: Sequence[int]  # of those that were found, from 1, rising
    num_relevant: int  # found or not; at least 1


def relevant_ranks(results: Sequence[Hashable], relevant: Collection[Hashable]) -> RelevantRanks:
    """Return where the `relevant` ones stand among the results of one query, best first."""
    ranks = [rank for rank, result in enumerate(results, 1) if result in relevant]
    return RelevantRanks(ranks, len(relevant))


def ranks_of_right(scores: ArrayLike, right: ArrayLike) -> list[RelevantRanks]:
    """Return the rank of the one right column of each row of scores (Q, N).

    Columns with the same score stand before it, so that a model that gives equal scores to all
    gains nothing.

    Args:
        scores: of each query (row) and each text (column); what is no number counts as -inf.
        right: column of the text that answers each query, (Q,).
    """
    table = np.asarray(scores)
    table = np.where(np.isnan(table), -np.inf, table)
    columns = np.asarray(right, np.int64)
    own = np.take_along_axis(table, columns[:, None], axis=1)  # (Q, 1)
    ranks = (table >= own).sum(axis=1)  # itself among them
    return [RelevantRanks([int(rank)], 1) for rank in ranks]


def recall(found: Sequence[RelevantRanks], k: int) -> float:
    """Return the share of the relevant results that are among the first `k`, mean of the queries.

    Of more than `k` relevant ones, `k` are all that can be found.
    """
    shares = [
        sum(rank <= k for rank in query.ranks) / min(query.num_relevant, k) for query in found
    ]
    return _mean(shares)


def mean_reciprocal_rank(found: Sequence[RelevantRanks], k: int) -> float:
    """Return the mean of 1 / the rank of the first relevant result; 0 if it is not in `k`."""
    firsts = [min(query.ranks, default=k + 1) for query in found]
    return _mean([1 / rank if rank <= k else 0.0 for rank in firsts])


def ndcg(found: Sequence[RelevantRanks], k: int) -> float:
    """Return the discounted gain of the first `k` results, divided by that of the best order."""
    discounts: NDArray[np.float64] = 1 / np.log2(np.arange(2, k + 2))  # of the ranks 1 to k
    gains = [
        sum(discounts[rank - 1] for rank in query.ranks if rank <= k)
        / discounts[: query.num_relevant].sum()
        for query in found
    ]
    return _mean(gains)


def retrieval_figures(found: Sequence[RelevantRanks]) -> dict[str, float]:
    """Return the figures that are usual: recall of 1, 10 and 100 results, MRR and nDCG of 10."""
    return {
        "recall@1": recall(found, 1),
        "recall@10": recall(found, 10),
        "recall@100": recall(found, 100),
        "mrr@10": mean_reciprocal_rank(found, 10),
        "ndcg@10": ndcg(found, 10),
    }


def _mean(figures: Sequence[float]) -> float:
    return float(np.mean(figures)) if figures else float("nan")
