"""Text infilling: each of some random spans becomes one mask token.

Lewis et al. 2020, "BART", section 2.2: the lengths of spans are drawn from a Poisson distribution,
and a span of length 0 inserts a mask. Here exactly the share of a row is hidden: spans never
overlap, and the last one is cut where the share is reached.

B rows, T tokens of a row, K spans, S slots of a source: a slot has a token or a mask.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.row_draws import Draws

__all__ = ["Infilled", "draw_span_lengths", "infill"]

Ids = NDArray[np.int64]


class Infilled(NamedTuple):
    """Rows with masks in place of spans."""

    source: Ids  # (B, S), filled up with `pad`
    lengths: Ids  # (B,), of the sources
    hidden: NDArray[np.bool_]  # (B, T), the tokens that the source does not show


def infill(
    text: Ids,
    hide_rate: float,
    mean_span: float,
    rng: Draws,
    *,
    mask: int,
    pad: int,
    longest: int | None = None,
) -> Infilled:
    """Hide spans of texts (B, T); the same number of tokens of each row.

    Spans of length 0 make a source longer than its text: it ends after `longest` slots at most.
    """
    B, T = text.shape
    num_hidden = round(T * hide_rate)
    spans = draw_span_lengths(num_hidden, mean_span, B, rng)  # (B, K)
    num_spans = (spans >= 0).sum(1)  # (B,)
    lengths = T - num_hidden + num_spans
    most = T - num_hidden + _most_spans(num_hidden, mean_span)
    is_mask = _drawn_slots(lengths, num_spans, rng.random((B, most)))  # (B, S)
    if longest is not None:
        is_mask, lengths = is_mask[:, :longest], np.minimum(lengths, longest)
    # Each slot stands for so many tokens of the text: a token for one, a mask for its span.
    numbers = np.minimum(np.cumsum(is_mask, axis=1) - 1, spans.shape[1] - 1)
    of_slot = np.where(is_mask, np.take_along_axis(spans, np.maximum(numbers, 0), axis=1), 1)
    places = np.cumsum(of_slot, axis=1) - of_slot
    is_token = ~is_mask & (np.arange(is_mask.shape[1]) < lengths[:, None])
    source = np.full(is_mask.shape, pad, np.int64)
    source[is_mask] = mask
    rows = np.nonzero(is_token)[0]
    source[is_token] = text[rows, places[is_token]]
    hidden = np.ones((B, T), np.bool_)
    hidden[rows, places[is_token]] = False
    return Infilled(source, lengths, hidden)


def draw_span_lengths(num_hidden: int, mean_span: float, num_rows: int, rng: Draws) -> Ids:
    """Draw lengths of spans that hold `num_hidden` tokens together, (B, K); -1 = no span.

    The draws of a row end with the span that reaches the number, which is cut there.
    """
    drawn = rng.random((num_rows, _most_spans(num_hidden, mean_span)))
    lengths: Ids = np.searchsorted(_poisson_ends(mean_span), drawn, side="right").astype(np.int64)
    before = np.cumsum(lengths, axis=1) - lengths
    lengths = np.minimum(lengths, num_hidden - before)
    lengths[before >= num_hidden] = -1
    missing = num_hidden - np.where(lengths > 0, lengths, 0).sum(1)
    lengths[:, -1] += missing
    width = int((lengths >= 0).sum(1).max())
    found: Ids = lengths[:, : max(width, 1)]
    return found


def _most_spans(num_hidden: int, mean_span: float) -> int:
    """Return how many are enough but for a chance that does not matter: the last one is longer."""
    return int(2 * num_hidden / mean_span) + 16


@cache
def _poisson_ends(mean: float) -> NDArray[np.float64]:
    """Return the chance of each length or a shorter one, from 0 on, up to all but 1e-12."""
    number = np.arange(int(mean + 12 * math.sqrt(mean)) + 24)
    logs = np.log(np.maximum(number, 1))
    ends: NDArray[np.float64] = np.cumsum(np.exp(number * math.log(mean) - mean - np.cumsum(logs)))
    return ends


def _drawn_slots(lengths: Ids, num_masks: Ids, draws: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Draw which slots have a mask, (B, S) bool: `num_masks` of the first `lengths` of a row."""
    width = int(lengths.max())
    draws = draws[:, :width]
    draws[np.arange(width) >= lengths[:, None]] = 2.0
    ranks = draws.argsort(1).argsort(1)
    drawn: NDArray[np.bool_] = ranks < num_masks[:, None]
    return drawn
