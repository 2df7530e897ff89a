"""The best of all paths of tags through a sentence (Viterbi 1967; Rabiner 1989, section III.B).

Layout and portions are those of `foretext.kernels.crf`; tags are padded with scores of -inf.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.crf import PORTIONS, padded_tags
from foretext.kernels.doubles import WIDTH, keep_larger, load, splat, store, store_index
from foretext.kernels.team import ALONE, Team, share_out

__all__ = ["best_paths"]


def best_paths(
    scores: np.ndarray, transitions: np.ndarray, starts: np.ndarray, *, team: Team = ALONE
) -> np.ndarray:
    """Return (N,) int16, the tags of the path with the highest score (Viterbi 1967).

    Args:
        scores: (N, C) of each tag at each token.
        transitions: (C, C) score of the column's tag after the row's; -inf where it never does.
        starts: (B + 1,) int64, where sentences start; the last one is N.
    """
    (N, C), S, B = scores.shape, padded_tags(scores.shape[1]), len(starts) - 1
    rows, forth = np.full((N, S), -np.inf), np.zeros((S, S))
    rows[:, :C], forth[:C, :C] = scores, transitions
    portions = max(1, min(B, PORTIONS))
    paths, came_from = np.empty(N, np.int16), np.empty(N * S, np.int16)
    sizes = np.array([C, S, portions], np.int64)
    arguments = (rows.reshape(-1), forth.reshape(-1), starts, sizes, came_from, paths)
    _all_paths(team, portions, arguments)
    return paths


@kernel(_nrt=False)
def _all_paths(team, portions, args):
    share_out(team, _some_paths, args, portions)


@kernel(_nrt=False)
def _some_paths(scores, forth, starts, sizes, came_from, paths, k):
    """Work on sentences k, k + portions, k + 2 portions, ..."""
    num_tags, stride, portions = sizes[0], sizes[1], sizes[2]
    for b in range(k, len(starts) - 1, portions):
        first, last = starts[b], starts[b + 1]
        if first < last:
            _climb(scores, forth, first, last, num_tags, stride, came_from)
            _walk_back(scores, first, last, num_tags, stride, came_from, paths)


@kernel(_nrt=False)
def _climb(scores, forth, first, last, num_tags, stride, came_from):
    """Turn the score of each tag into that of the best path to it, and keep where it came from."""
    for row in range((first + 1) * stride, last * stride, stride):
        before = row - stride
        for j in range(0, stride, WIDTH):
            best = splat(scores[before]) + load(forth, j)
            place = splat(0.0)
            for i in range(1, num_tags):
                other = splat(scores[before + i]) + load(forth, i * stride + j)
                best, place = keep_larger(best, place, other, splat(np.float64(i)))
            store(scores, row + j, load(scores, row + j) + best)
            store_index(came_from, row + j, place)


@kernel(_nrt=False)
def _walk_back(scores, first, last, num_tags, stride, came_from, paths):
    end, tag = (last - 1) * stride, 0
    for j in range(1, num_tags):
        if scores[end + j] > scores[end + tag]:
            tag = j
    for token in range(last - 1, first, -1):
        paths[token] = tag
        tag = came_from[token * stride + tag]
    paths[first] = tag
