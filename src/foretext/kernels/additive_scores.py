"""Scores of additive attention, Σ_a v_a tanh(q_a + k_a), for every query and key of a text.

With the exponentials of 2 q and 2 k, which are computed once for each query and each key,

    tanh(q + k) = 1 - 2 r    and    tanh'(q + k) = 4 (r - r²),    where r = 1 / (1 + e^2q e^2k),

so that a pair costs a product and a division in each column, and no hyperbolic tangent is held:
the way back computes r again.

B: texts, T: queries, S: keys, A: columns, a multiple of 16. All arrays are flat and float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.elementary import lane_sum
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.team import share_out

__all__ = ["Sizes", "additive_scores", "additive_scores_backward"]


class Sizes(NamedTuple):
    """The sizes of all arrays."""

    num_texts: int  # B
    num_queries: int  # T
    num_keys: int  # S
    dim: int  # A


@kernel()
def scores_of_text(queries, keys, vector, sizes, scores, b):
    """Do text b."""
    one, A = splat(np.float32(1.0)), sizes.dim
    for t in range(b * sizes.num_queries, (b + 1) * sizes.num_queries):
        for s in range(sizes.num_keys):
            key = (b * sizes.num_keys + s) * A
            total = zeros()
            for a in range(0, A, LANES):
                r = one / fma(load(queries, t * A + a), load(keys, key + a), one)
                v = load(vector, a)
                total = total + (v - (v + v) * r)
            scores[t * sizes.num_keys + s] = lane_sum(total)


@kernel()
def additive_scores(team, queries, keys, vector, sizes, scores):
    """Write the scores (B, T, S).

    queries: (B, T, A), e^2q; keys: (B, S, A), e^2k; vector: (A,), v. Products are finite.
    """
    share_out(team, scores_of_text, (queries, keys, vector, sizes, scores), sizes.num_texts)


@kernel()
def gradients_of_text(errors, queries, keys, vector, sizes, of_queries, of_keys, of_vector, b):
    """Do text b; its part of the vector's gradient is row b of `of_vector`."""
    one, A = splat(np.float32(1.0)), sizes.dim
    first, T, S = b * sizes.num_keys * A, sizes.num_queries, sizes.num_keys
    of_keys[first : first + S * A] = np.float32(0.0)
    for a in range(0, A, LANES):
        v, of_v = load(vector, a), zeros()
        slope = splat(np.float32(4.0)) * v
        for t in range(b * T, (b + 1) * T):
            query, total = load(queries, t * A + a), zeros()
            for s in range(S):
                key = first + s * A + a
                error = splat(errors[t * S + s])
                r = one / fma(query, load(keys, key), one)
                of_v = fma(error, one - (r + r), of_v)
                step = error * slope * (r - r * r)
                total = total + step
                store(of_keys, key, load(of_keys, key) + step)
            store(of_queries, t * A + a, total)
        store(of_vector, b * A + a, of_v)


@kernel()
def additive_scores_backward(
    team, errors, queries, keys, vector, sizes, of_queries, of_keys, of_vector
):
    """Write the gradients of q, k and v, from `errors` (B, T, S) of the scores.

    queries, keys, vector: as of `source_attention`. of_queries: (B, T, A); of_keys: (B, S, A);
    of_vector: (B, A), the part of each text.
    """
    arrays = (errors, queries, keys, vector, sizes, of_queries, of_keys, of_vector)
    share_out(team, gradients_of_text, arrays, sizes.num_texts)
