"""Sums over all paths of tags through a sentence (Lafferty et al. 2001, section 3).

Forward–backward works on probabilities that are scaled to a sum of one at every token (Rabiner
1989, section V.A), so that the inner loops are products alone: no exponential, no logarithm. In
float64 a weight vanishes when another tag's is e**700 times as large; where nothing is left, the
result is NaN.

Sentences lie end to end, N tokens in all, C tags padded with zeros to a stride of S. Scores of the
first and the last token hold those of starting and of ending there. Sentences are cut into portions
by their number alone, so that sums do not depend on threads.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.doubles import (
    WIDTH,
    load,
    multiply_add,
    splat,
    store,
)
from foretext.kernels.team import ALONE, Team, share_out

__all__ = ["PORTIONS", "Expectations", "expectations", "padded_tags"]

PORTIONS = 16
MODERATE = 300.0  # scores between this and its negative are raised to powers as they are


class Expectations(NamedTuple):
    """What a sentence's tags are on the mean over all paths."""

    log_partition: float  # of all sentences together; NaN where weights vanished
    tags: np.ndarray | None  # (N, C) P(tag of the token)
    steps: np.ndarray | None  # (C, C) how often one tag follows another, summed over sentences


def padded_tags(num_tags: int) -> int:
    """Return the stride of rows of so many tags."""
    return -(-num_tags // WIDTH) * WIDTH


def expectations(
    scores: np.ndarray,
    transitions: np.ndarray,
    starts: np.ndarray,
    *,
    learns: bool = True,
    team: Team = ALONE,
) -> Expectations:
    """Sum over all paths.

    Args:
        scores: (N, C) of each tag at each token.
        transitions: (C, C) score of the column's tag after the row's; -inf where it never does.
        starts: (B + 1,) int64, where sentences start; the last one is N.
        learns: whether more than the log partition is asked for.
    """
    (N, C), S, B = scores.shape, padded_tags(scores.shape[1]), len(starts) - 1
    level = _level(scores)
    weights, forth, back = np.zeros((N, S)), np.zeros((S, S)), np.zeros((S, S))
    np.exp(scores - level, out=weights[:, :C])
    highest = max(float(transitions.max()), -1e30)
    np.exp(transitions - highest, out=forth[:C, :C])
    back[:] = forth.T
    portions = max(1, min(B, PORTIONS))
    states, scales = np.empty(N * S), np.empty(N)
    steps, scratch, logs = np.zeros((portions, S, S)), np.empty(portions * 2 * S), np.zeros(B)
    sizes = np.array([C, S, portions, learns], np.int64)
    flat = (weights.reshape(-1), forth.reshape(-1), back.reshape(-1))
    _all_expectations(
        team, portions, (*flat, starts, sizes, states, scales, steps.reshape(-1), scratch, logs)
    )
    num_steps = N - np.count_nonzero(np.diff(starts))
    log_partition = float(logs.sum() + level.sum() + highest * num_steps)
    if not learns:
        return Expectations(log_partition, None, None)
    return Expectations(
        log_partition, states.reshape(N, S)[:, :C], (steps.sum(axis=0) * forth)[:C, :C]
    )


def _level(scores: np.ndarray) -> np.ndarray:
    """(N, 1) or (1, 1), what to take off scores so that none of their powers is infinite."""
    if scores.size and max(scores.max(), -scores.min()) < MODERATE:
        return np.zeros((1, 1))
    level: np.ndarray = scores.max(axis=1, keepdims=True)
    return level


@kernel(_nrt=False)
def _all_expectations(team, portions, args):
    share_out(team, _some_expectations, args, portions)


@kernel(_nrt=False)
def _some_expectations(
    weights, forth, back, starts, sizes, states, scales, steps, scratch, logs, k
):
    """Work on sentences k, k + portions, k + 2 portions, ..."""
    num_tags, stride, portions, learns = sizes[0], sizes[1], sizes[2], sizes[3]
    for b in range(k, len(starts) - 1, portions):
        rows = starts[b], starts[b + 1], num_tags, stride
        if rows[0] < rows[1]:
            logs[b] = _forward(weights, forth, rows, states, scales)
            if learns:
                _backward(weights, back, rows, states, scales, steps, scratch, k)


@kernel(_nrt=False)
def _forward(weights, forth, rows, states, scales):
    """Set states to P(tag | the tokens so far); return the sum of the logs of what they lost."""
    first, last, num_tags, stride = rows
    log = 0.0
    for row in range(first * stride, last * stride, stride):
        if row == first * stride:
            for j in range(0, stride, WIDTH):
                store(states, row + j, load(weights, row + j))
        else:
            _multiply(states, row - stride, forth, num_tags, stride, states, row)
            for j in range(0, stride, WIDTH):
                store(states, row + j, load(states, row + j) * load(weights, row + j))
        total = 0.0
        for j in range(row, row + num_tags):
            total += states[j]
        scale = 1.0 / total if total > 0.0 else math.nan
        for j in range(0, stride, WIDTH):
            store(states, row + j, load(states, row + j) * splat(scale))
        scales[row // stride] = scale
        log -= math.log(scale)
    return log


@kernel(_nrt=False)
def _backward(weights, back, rows, states, scales, steps, scratch, k):
    """Turn states into P(tag | all tokens); add P(tag, tag before) but for the factor `forth`."""
    first, last, num_tags, stride = rows
    at, beta, ahead = k * stride * stride, 2 * k * stride, (2 * k + 1) * stride
    for j in range(0, stride, WIDTH):
        store(scratch, beta + j, splat(1.0))
    for row in range((last - 1) * stride, first * stride, -stride):
        scale = splat(scales[row // stride])
        for j in range(0, stride, WIDTH):
            store(scratch, ahead + j, load(weights, row + j) * load(scratch, beta + j) * scale)
        for i in range(num_tags):
            before = splat(states[row - stride + i])
            for j in range(0, stride, WIDTH):
                to = at + i * stride + j
                store(steps, to, multiply_add(before, load(scratch, ahead + j), load(steps, to)))
        _multiply(scratch, ahead, back, num_tags, stride, scratch, beta)
        for j in range(0, stride, WIDTH):
            store(
                states, row - stride + j, load(states, row - stride + j) * load(scratch, beta + j)
            )


@kernel(_nrt=False)
def _multiply(vector, at, matrix, num_tags, stride, target, to):
    """target[to:] = vector[at:] @ matrix, (C,) by (C, S)."""
    for j in range(0, stride, WIDTH):
        total = splat(0.0)
        for i in range(num_tags):
            total = multiply_add(splat(vector[at + i]), load(matrix, i * stride + j), total)
        store(target, to + j, total)
