"""The best k of many scores, kept in a heap a query: most scores cost one comparison."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["keep_best"]

_CHUNK = 256  # scores compared at once; few chunks hold one that is good enough


@kernel(kept=True)
def keep_best(scores, scales, start, best_scores, best_rows):
    """Let scores that beat a query's worst kept one take its place; equal ones do not.

    Args:
        scores: (Q, R) float32, of the rows from `start` on.
        scales: (R,) float32, by which the scores of each row are to be multiplied.
        start: the row that column 0 stands for; it must rise from call to call.
        best_scores: (Q, k) float32, a heap a query with the worst first; -inf at the beginning.
        best_rows: (Q, k) int64, the rows of the kept scores.

    Returns how many scores were kept.
    """
    num_queries, num_rows = scores.shape
    num_kept = 0
    for query in range(num_queries):
        for begin in range(0, num_rows, _CHUNK):
            end = min(begin + _CHUNK, num_rows)
            if _count_above(scores, scales, query, begin, end, best_scores[query, 0]) > 0:
                for column in range(begin, end):
                    score = scores[query, column] * scales[column]
                    if score > best_scores[query, 0]:
                        _replace_worst(best_scores, best_rows, query, score, start + column)
                        num_kept += 1
    return num_kept


@kernel()
def _count_above(scores, scales, query, begin, end, bar):
    """Count without branches, so that LLVM compares many at once."""
    count = np.int32(0)
    row = np.uint64(query)
    for column in range(np.uint64(begin), np.uint64(end)):  # signed ones could count from the end
        count += np.int32(scores[row, column] * scales[column] > bar)
    return count


@kernel()
def _replace_worst(scores, rows, query, score, row):
    """Put a score in the place of the heap's first, and let it sink to where it belongs."""
    size = scores.shape[1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _worse(scores, rows, query, child + 1, child):
            child += 1
        if score < scores[query, child] or (
            score == scores[query, child] and row > rows[query, child]
        ):
            break
        scores[query, place], rows[query, place] = scores[query, child], rows[query, child]
        place = child
    scores[query, place], rows[query, place] = score, row
    return place


@kernel()
def _worse(scores, rows, query, a, b):
    """Whether the heap's element `a` is to go before `b`: a lower score, or a later row."""
    return scores[query, a] < scores[query, b] or (
        scores[query, a] == scores[query, b] and rows[query, a] > rows[query, b]
    )
