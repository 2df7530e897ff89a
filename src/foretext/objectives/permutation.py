"""Which tokens a permutation language model predicts, in which order, and who may see whom.

Yang et al. 2019, sections 2.2 and 2.3. Only the last tokens of a random order are predicted (2.3,
"partial prediction"); the order of the others changes nothing, so they are all first.

B rows, T positions, M predicted tokens of a row at most.
"""

from __future__ import annotations

import numpy as np

from foretext.data.row_draws import Draws, whole_numbers

__all__ = ["choose_predicted", "draw_order", "predicted_first", "visible_keys"]


def choose_predicted(
    eligible: np.ndarray,  # (B, T) bool, True = may be predicted: not special
    tokens_per_prediction: int,  # K
    max_span: int,
    rng: Draws,
) -> np.ndarray:
    """Draw the tokens to predict, (B, T) bool: spans of L tokens in windows of K L.

    L is drawn from 1 to `max_span` (section 3.1). A span is cut at the end of a row and at tokens
    that are not eligible; a row with eligible tokens has one to predict at least.
    """
    B, T = eligible.shape
    drawn = rng.random((B, -(-T // tokens_per_prediction)))
    lengths = 1 + whole_numbers(drawn, max_span)
    windows = tokens_per_prediction * lengths
    starts = np.cumsum(windows, axis=1) - windows
    starts += (rng.random(lengths.shape) * (windows - lengths + 1)).astype(np.int64)
    edges = np.zeros((B, T + 1), np.int64)  # 1 where a span begins, -1 behind its end
    rows = np.broadcast_to(np.arange(B)[:, None], lengths.shape)
    np.add.at(edges, (rows, np.minimum(starts, T)), 1)
    np.add.at(edges, (rows, np.minimum(starts + lengths, T)), -1)
    chosen: np.ndarray = (np.cumsum(edges, axis=1)[:, :T] > 0) & eligible
    empty = np.flatnonzero(~chosen.any(axis=1) & eligible.any(axis=1))
    which = whole_numbers(rng.random((B, 1))[empty], eligible[empty].sum(axis=1, keepdims=True))
    so_far = np.cumsum(eligible[empty], axis=1)
    chosen[empty, (so_far > which).argmax(axis=1)] = True
    return chosen


def draw_order(predicted: np.ndarray, rng: Draws) -> np.ndarray:
    """Return each token's place in the order, (B, T): 0 = it is not predicted, then 1, 2, ..."""
    draw = np.where(predicted, rng.random(predicted.shape), 2.0)
    ranks = draw.argsort(axis=1).argsort(axis=1)
    order: np.ndarray = np.where(predicted, ranks + 1, 0)
    return order


def predicted_first(predicted: np.ndarray, multiple: int = 1) -> np.ndarray:
    """Return the positions of predicted tokens, (B, M), from the left, and then others.

    Args:
        predicted: (B, T) bool.
        multiple: M is one, so that few shapes occur.
    """
    num_predicted = int(predicted.sum(axis=1).max())
    width = min(-(-num_predicted // multiple) * multiple, predicted.shape[1])
    positions: np.ndarray = np.argsort(~predicted, axis=1, kind="stable")[:, :width]
    return positions


def visible_keys(order: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return who may look at whom, (B, T + M, T) bool: the tokens, then queries at `positions`.

    A token sees itself and what comes before it in the order; a query sees only what comes before
    the token that it predicts.

    Args:
        order: (B, T), from `draw_order`.
        positions: (B, M).
    """
    before = np.take_along_axis(order, positions, axis=1) - 1
    last_seen = np.concatenate([order, before], axis=1)  # (B, T + M)
    visible: np.ndarray = order[:, None, :] <= last_seen[:, :, None]
    return visible
