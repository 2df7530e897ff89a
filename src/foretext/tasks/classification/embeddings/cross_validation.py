"""The strength of a penalty by cross-validation: rows are answered by heads that never saw them.

Folds are stratified: the rows of a class go to different folds, so that each class stays among the
rows to learn from, however rare it is. A class with one row alone is never held out. Few rows are
split several times, since the figure of one split of twenty rows is mostly noise.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.tasks.classification.embeddings.logistic_head import (
    Features,
    LogisticHead,
    Targets,
    cross_entropies,
    fitted_heads,
)

__all__ = [
    "GRID",
    "Split",
    "Validated",
    "chosen_strength",
    "held_out_rows",
    "held_out_targets",
    "mean_loss",
    "out_of_fold",
    "right_rate",
    "split_weights",
    "stratified_splits",
    "validated",
]

Array = NDArray[np.float64]

GRID = tuple(float(10.0 ** (step / 2)) for step in range(-4, 7))  # inverse penalties, 0.01 to 1000
ENOUGH = 200  # held-out answers, until which rows are split again
MOST_REPEATS = 4
MANY_ROWS, MOST_HELD_OUT = 5000, 5000  # from here on one split says enough, by so many rows
PATIENCE = 2  # weaker penalties that are tried without a gain


class Split(NamedTuple):
    """Rows to learn from, and rows to answer, by their numbers."""

    learned: NDArray[np.int64]
    held_out: NDArray[np.int64]


class Validated(NamedTuple):
    """How good a penalty is on rows that were held out."""

    inverse_penalty: float
    probabilities: Array  # (M, C), of the held-out rows of all splits, one split after another
    log_loss: float  # mean of a row, in nats


def stratified_splits(strata: Sequence[Hashable], folds: int, seed: int) -> list[Split]:
    """Return splits in which each class of two rows or more is learned from and held out.

    Args:
        strata: (N,) the class of each row.
        folds: parts of a split, each of which is held out once.
        seed: of the draws.

    Returns:
        all folds, of few rows several times; of many rows one fold; [] where no class has two rows.
    """
    codes = np.unique(np.array([repr(each) for each in strata]), return_inverse=True)[1]
    can_wait = np.bincount(codes)[codes] > 1  # (N,) whether a row may be held out
    if not can_wait.any():
        return []
    rng, found = np.random.default_rng(seed), list[Split]()
    repeats = min(max(ENOUGH // int(can_wait.sum()), 1), MOST_REPEATS)
    for _ in range(repeats):
        fold_of = _folds(codes, folds, rng)
        found += [_split(np.flatnonzero((fold_of == fold) & can_wait), codes) for fold in
                  range(folds)]  # fmt: skip
    found = [split for split in found if len(split.held_out)]
    if len(codes) < MANY_ROWS:
        return found
    return [_split(np.sort(rng.permutation(found[0].held_out)[:MOST_HELD_OUT]), codes)]


def _folds(codes: NDArray[np.int64], folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each row, (N,): the rows of a class are dealt out one after another."""
    drawn = rng.permutation(len(codes))
    order = drawn[np.argsort(codes[drawn], kind="stable")]
    found = np.empty(len(codes), np.int64)
    found[order] = np.arange(len(codes)) % folds
    return found


def _split(held_out: NDArray[np.int64], codes: NDArray[np.int64]) -> Split:
    return Split(np.setdiff1d(np.arange(len(codes)), held_out), held_out)


def held_out_rows(splits: Sequence[Split]) -> NDArray[np.int64]:
    """Return the rows that are held out, (M,), split after split."""
    return np.concatenate([split.held_out for split in splits])


def held_out_targets(targets: Targets, splits: Sequence[Split]) -> Targets:
    """Return the targets of the held-out rows of all splits; each row weighs as much in all."""
    rows = held_out_rows(splits)
    wanted = targets.part(rows)
    return wanted._replace(weights=wanted.weights / np.bincount(rows)[rows])


def split_weights(targets: Targets, splits: Sequence[Split]) -> Array:
    """Return the weights of all rows in each split, (S, N): those that are held out have none."""
    weights = np.tile(targets.weights, (len(splits), 1))
    for own, split in zip(weights, splits, strict=True):
        own[split.held_out] = 0.0
    return weights


def out_of_fold(
    features: Features,
    targets: Targets,
    splits: Sequence[Split],
    inverse_penalty: float,
    starts: Sequence[LogisticHead] | None = None,
) -> tuple[Array, list[LogisticHead]]:
    """Return the probabilities (M, C) of the held-out rows of each split, and the heads.

    Args:
        features: (N, D).
        targets: of the rows.
        splits: of the rows.
        inverse_penalty: of each head.
        starts: heads of another penalty, one a split.
    """
    weights = split_weights(targets, splits)
    heads = fitted_heads(features, targets, weights, inverse_penalty, starts)
    answers = [
        head.probabilities(features[split.held_out], are_sets=targets.are_sets)
        for head, split in zip(heads, splits, strict=True)
    ]
    return np.concatenate(answers), heads


def chosen_strength(
    features: Features,
    targets: Targets,
    splits: Sequence[Split],
    grid: Sequence[float] = GRID,
) -> Validated:
    """Return the inverse penalty under which held-out rows are likeliest, and what it answers.

    The grid is walked from the strongest penalty to weaker ones, each head from the one before it,
    until some in a row are no better.
    """
    heads: Any = None
    best: Validated | None = None
    since = 0
    for inverse_penalty in grid:
        answers, heads = out_of_fold(features, targets, splits, inverse_penalty, heads)
        found = validated(inverse_penalty, answers, targets, splits)
        is_better = best is None or found.log_loss < best.log_loss
        best, since = (found, 0) if is_better or best is None else (best, since + 1)
        if since >= PATIENCE:
            break
    assert best is not None, "the grid has a number at least"
    return best


def validated(
    inverse_penalty: float, answers: Array, targets: Targets, splits: Sequence[Split]
) -> Validated:
    """Return answers to the held-out rows with their loss."""
    rows = targets.part(held_out_rows(splits))
    return Validated(inverse_penalty, answers, mean_loss(answers, rows))


def mean_loss(probabilities: Array, targets: Targets) -> float:
    """Return the weighted mean of the rows' cross-entropies, in nats."""
    weights = targets.weights
    return float((cross_entropies(probabilities, targets) * weights).sum() / weights.sum())


def right_rate(probabilities: Array, targets: Targets) -> float:
    """Return the weighted share of rows whose labels are all answered as the target says."""
    if targets.are_sets:
        is_right = ((probabilities > 0.5) == (targets.probabilities > 0.5)).all(1)
    else:
        is_right = probabilities.argmax(1) == targets.probabilities.argmax(1)
    return float((is_right * targets.weights).sum() / targets.weights.sum())
