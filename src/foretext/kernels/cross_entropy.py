"""Softmax cross-entropy that turns logits into their own gradient, row by row.

With p the softmax of a row of scores z and t its target, the loss is log sum exp z - z_t and its
gradient p - 1[t]. A row is read while it lies in the cache and written once; nothing else of the
size of the logits is ever made. Sums are float32 in sixteen lanes, whatever the logits' precision.
A class can be drawn from p in the same pass, while the row is still in the cache.

With label smoothing s (Szegedy et al. 2016, section 7) the target has the probability 1 - s + s/C
and every other class s/C: the loss is log sum exp z - (1 - s) z_t - s mean z.

C: classes, the length of a row. Logits are float32 or bfloat16 bits (`kernels.bfloat16`), flat.
A score is a logit and its bias; added here, the bias costs no pass over the logits.
"""

from __future__ import annotations

import math

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, load_one, store_lanes, store_one
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import exponential, lane_max, lane_sum, maximum
from foretext.kernels.simd import LANES, splat, zeros
from foretext.kernels.team import share_out

__all__ = ["cross_entropy"]

ROWS = 4  # a portion of one thread
BLOCK = 8 * LANES  # classes that are skipped together on the way to the one that is drawn


@kernel(_nrt=False, forceinline=True)
def score_lanes(logits, bias, row, c):
    """Return sixteen logits of a row with their bias."""
    return load_lanes(logits, row + c) + load_lanes(bias, c)


@kernel(_nrt=False, forceinline=True)
def score_one(logits, bias, row, c):
    """Return one logit of a row with its bias."""
    return load_one(logits, row + c) + load_one(bias, c)


@kernel(_nrt=False, forceinline=True)
def largest(logits, bias, row):
    """Return the largest score of the row that begins at `row`."""
    whole = bias.size - bias.size % LANES
    best = splat(np.float32(-math.inf))
    for c in range(0, whole, LANES):
        best = maximum(score_lanes(logits, bias, row, c), best)
    result = lane_max(best)
    for c in range(whole, bias.size):
        result = max(result, score_one(logits, bias, row, c))
    return result


@kernel(_nrt=False, forceinline=True)
def sum_exponentials(logits, bias, row, shift):
    """Return the sum of exp(score - shift) over a row."""
    whole = bias.size - bias.size % LANES
    wide = whole - whole % (2 * LANES)
    shifts = splat(shift)
    even = odd = zeros()
    for c in range(0, wide, 2 * LANES):
        even = even + exponential(score_lanes(logits, bias, row, c) - shifts)
        odd = odd + exponential(score_lanes(logits, bias, row, c + LANES) - shifts)
    if wide < whole:
        even = even + exponential(score_lanes(logits, bias, row, wide) - shifts)
    total = lane_sum(even + odd)
    for c in range(whole, bias.size):
        total += np.float32(math.exp(score_one(logits, bias, row, c) - shift))
    return total


@kernel(_nrt=False, forceinline=True)
def mean_score(logits, bias, row):
    """Return the mean of the scores of the row that begins at `row`."""
    whole = bias.size - bias.size % LANES
    lanes = zeros()
    for c in range(0, whole, LANES):
        lanes = lanes + score_lanes(logits, bias, row, c)
    total = lane_sum(lanes)
    for c in range(whole, bias.size):
        total += score_one(logits, bias, row, c)
    return total / np.float32(bias.size)


@kernel(_nrt=False, forceinline=True)
def replace_by_softmax(logits, bias, row, normaliser, less):
    """Write exp(score - normaliser) - less over a row; a constant 0 costs nothing."""
    whole = bias.size - bias.size % LANES
    normalisers, reduction = splat(normaliser), splat(less)
    for c in range(0, whole, LANES):
        chances = exponential(score_lanes(logits, bias, row, c) - normalisers)
        store_lanes(logits, row + c, chances - reduction)
    for c in range(whole, bias.size):
        chance = np.float32(math.exp(score_one(logits, bias, row, c) - normaliser))
        store_one(logits, row + c, chance - less)


@kernel(_nrt=False, forceinline=True)
def is_first(logits, bias, row, target, score):
    """Tell whether no class before the target has the same score: ties go to the first."""
    c = 0
    while c < target and score_one(logits, bias, row, c) != score:
        c += 1
    return c == target


@kernel(_nrt=False, forceinline=True)
def sum_of(chances, first, last):
    """Return the sum of the chances from place `first` to the one before `last`."""
    whole = last - (last - first) % LANES
    lanes = zeros()
    for c in range(first, whole, LANES):
        lanes = lanes + load_lanes(chances, c)
    total = lane_sum(lanes)
    for c in range(whole, last):
        total += load_one(chances, c)
    return total


@kernel(_nrt=False)
def drawn_class(chances, row, size, draw):
    """Return the class where the running sum of a row's chances exceeds the share `draw` of all."""
    end = row + size
    left = np.float32(0.0)
    for first in range(row, end, BLOCK):
        left += sum_of(chances, first, min(first + BLOCK, end))
    left *= draw
    first, last = row, min(row + BLOCK, end)
    block = sum_of(chances, first, last)
    while block <= left and last < end:
        left -= block
        first, last = last, min(last + BLOCK, end)
        block = sum_of(chances, first, last)
    c, passed = first, load_one(chances, first)
    while passed <= left and c + 1 < last:
        c += 1
        passed += load_one(chances, c)
    return c - row


@kernel(_nrt=False)
def take_rows(logits, bias, targets, losses, correct, to_gradient, draws, drawn, smoothing, k):
    """Do the rows of portion `k`, as `cross_entropy` says."""
    each = smoothing / np.float32(bias.size)  # of the target's probability, to every class
    for m in range(k * ROWS, min((k + 1) * ROWS, targets.size)):
        row, target = m * bias.size, targets[m]
        top = largest(logits, bias, row)
        wanted = score_one(logits, bias, row, target)
        correct[m] = wanted == top and is_first(logits, bias, row, target, top)
        total = sum_exponentials(logits, bias, row, top)
        normaliser = np.float32(top + np.float32(math.log(total)))
        losses[m] = normaliser - wanted
        if smoothing > 0:
            losses[m] += smoothing * (wanted - mean_score(logits, bias, row))
            if to_gradient:
                replace_by_softmax(logits, bias, row, normaliser, each)
        elif to_gradient or draws.size:
            replace_by_softmax(logits, bias, row, normaliser, np.float32(0.0))
        if draws.size:
            drawn[m] = drawn_class(logits, row, bias.size, draws[m])
        if to_gradient:
            chance = np.float32(math.exp(wanted - normaliser))
            miss = chance - (np.float32(1.0) - smoothing) - each
            store_one(logits, row + target, miss)


@kernel(_nrt=False)
def cross_entropy(
    team, logits, bias, targets, losses, correct, to_gradient, draws, drawn, smoothing
):
    """Write each row's loss, and its gradient over its logits where that is asked for.

    logits: (M * C,); bias: (C,), added to every row, in the same precision; targets: (M,) int64;
    losses: (M,) float32; correct: (M,) bool, whether the target is what the row thinks likeliest.
    draws: (M,) float32, uniform in [0, 1), or (0,); drawn: (M,) int64, a class of each row by its
    chances, or (0,). Without a gradient the logits are then replaced by the chances.
    smoothing: float32, share of each target's probability that all classes divide; 0 where classes
    are drawn.
    """
    args = (logits, bias, targets, losses, correct, to_gradient, draws, drawn, smoothing)
    share_out(team, take_rows, args, (targets.size + ROWS - 1) // ROWS)
