"""The best k of many scores, kept in a heap a query: most scores cost one comparison."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["keep_best"]

_CHUNK = 256  # scores compared at once; few chunks hold one that is good enough


@kernel()
def keep_best(scores, scales, start, best_scores, best_rows):
    """Let scores that beat a query's worst kept one take its place; equal ones do not.

    Args:
        scores: (Q, R) float32, of the rows from `start` on.
        scales: (R,) float32, by which the scores of each row are to be multiplied.
        start: the row that column 0 stands for; it must rise from call to call.
        best_scores: (Q, k) float32, a heap a query with the worst first; -inf at the beginning.
        best_rows: (Q, k) int64, the rows of the kept scores.
    """
    num_queries, num_rows = scores.shape
    for query in range(num_queries):
        kept, rows = best_scores[query], best_rows[query]
        for begin in range(0, num_rows, _CHUNK):
            chunk, factors = scores[query, begin : begin + _CHUNK], scales[begin : begin + _CHUNK]
            if _count_above(chunk, factors, kept[0]) > 0:
                for column in range(len(chunk)):
                    score = chunk[column] * factors[column]
                    if score > kept[0]:
                        _replace_worst(kept, rows, score, start + begin + column)


@kernel()
def _count_above(scores, scales, bar):
    """Count without branches, so that LLVM compares many at once."""
    count = np.int32(0)
    for column in range(len(scores)):
        count += np.int32(scores[column] * scales[column] > bar)
    return count


@kernel()
def _replace_worst(scores, rows, score, row):
    """Put a score in the place of the heap's first, and let it sink to where it belongs."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= len(scores):
            break
        if child + 1 < len(scores) and _worse(scores, rows, child + 1, child):
            child += 1
        if score < scores[child] or (score == scores[child] and row > rows[child]):
            break
        scores[place], rows[place] = scores[child], rows[child]
        place = child
    scores[place], rows[place] = score, row


@kernel()
def _worse(scores, rows, a, b):
    """Whether the heap's element `a` is to go before `b`: a lower score, or a later row."""
    return scores[a] < scores[b] or (scores[a] == scores[b] and rows[a] > rows[b])
