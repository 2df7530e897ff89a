"""Scores of queries against distances, brought to the keys that stand at these distances.

A query at position p has a score for each distance p - j. If the distances fall from column to
column, those of the keys j = 0, 1, 2, ... stand side by side, from a first column that depends on
p: the row is shifted (Dai et al. 2019, "Transformer-XL", appendix B). A second number of the query
is added where query and key are of different segments (Yang et al. 2019, section 2.5).

H: heads, B: texts, T: queries, P: distances, S: keys; P and S are multiples of 16. All arrays are
flat: scores (H, B, T, P) are float32 or bfloat16 bits (`kernels.bfloat16`), the rest is float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.bfloat16 import load_lanes, store_lanes
from foretext.kernels.compile import kernel
from foretext.kernels.elementary import lane_sum
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.team import share_out

__all__ = ["Places", "relative_scores", "relative_scores_backward"]


class Places(NamedTuple):
    """Where queries and keys stand, and the sizes of all arrays."""

    firsts: np.ndarray  # (B, T) int64, the column of key 0 in the row of each query; at most P - S
    differs: np.ndarray  # (B or 1, T or 1, S) float32, 1 where query and key differ in segment
    text_stride: int  # of `differs`; 0: all texts share it
    row_stride: int  # of `differs`; 0: all queries share it
    num_heads: int  # H
    num_texts: int  # B
    num_queries: int  # T
    num_distances: int  # P
    num_keys: int  # S


@kernel()
def relative_rows(scores, deltas, places, scale, relative, n):
    """Do the rows of head h of text b, where n = b H + h."""
    b, h = divmod(n, places.num_heads)
    factor = splat(np.float32(scale))
    for t in range(places.num_queries):
        k = (h * places.num_texts + b) * places.num_queries + t
        row = k * places.num_distances + places.firsts[b * places.num_queries + t]
        out = (n * places.num_queries + t) * places.num_keys
        differs = b * places.text_stride + t * places.row_stride
        delta = splat(deltas[k])
        for s in range(0, places.num_keys, LANES):
            score = fma(load(places.differs, differs + s), delta, load_lanes(scores, row + s))
            store(relative, out + s, score * factor)


@kernel()
def relative_rows_backward(errors, places, scale, of_scores, of_deltas, n):
    """Do the rows of head h of text b, where n = b H + h."""
    b, h = divmod(n, places.num_heads)
    factor = splat(np.float32(scale))
    for t in range(places.num_queries):
        k = (h * places.num_texts + b) * places.num_queries + t
        row = k * places.num_distances
        for p in range(row, row + places.num_distances, LANES):
            store_lanes(of_scores, p, zeros())
        row += places.firsts[b * places.num_queries + t]
        error = (n * places.num_queries + t) * places.num_keys
        differs = b * places.text_stride + t * places.row_stride
        total = zeros()
        for s in range(0, places.num_keys, LANES):
            scaled = load(errors, error + s) * factor
            store_lanes(of_scores, row + s, scaled)
            total = fma(load(places.differs, differs + s), scaled, total)
        of_deltas[k] = lane_sum(total)


@kernel()
def relative_scores(team, scores, deltas, places, scale, relative):
    """Write scores of keys (B, H, T, S), times `scale`, to `relative`.

    `deltas` (H, B, T) are added where segments differ.
    """
    count = places.num_texts * places.num_heads
    share_out(team, relative_rows, (scores, deltas, places, scale, relative), count)


@kernel()
def relative_scores_backward(team, errors, places, scale, of_scores, of_deltas):
    """Write the gradients of scores and deltas, from `errors` (B, H, T, S) of `relative`."""
    count = places.num_texts * places.num_heads
    share_out(team, relative_rows_backward, (errors, places, scale, of_scores, of_deltas), count)
