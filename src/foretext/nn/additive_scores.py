"""Scores of additive attention (Bahdanau et al. 2015, A.1.2), without a tensor of (B, T, S, A).

PyTorch would hold the hyperbolic tangent of every query with every key, column by column. On a CPU
a kernel adds the columns up at once, and computes them again in the backward pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels import additive_scores as kernels
from foretext.kernels.additive_scores import Sizes
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view, weight_view

__all__ = ["additive_scores"]

LANES = 16  # columns that the kernel works on at once
LARGEST = 20.0  # of a query or key for the kernel: e^2q times e^2k must be finite in float32


def additive_scores(query: Tensor, key: Tensor, vector: Tensor) -> Tensor:
    """Return Σ_a v_a tanh(q_a + k_a) for each query and key, (B, T, S); float32 on a CPU.

    Args:
        query: (B, T, A).
        key: (B, S, A).
        vector: (A,), v.
    """
    if len(vector) % LANES == 0 and _fits(query) and _fits(key):
        return _apply(query, key, vector)
    return torch.tanh(query.unsqueeze(2) + key.unsqueeze(1)) @ vector


def _fits(x: Tensor) -> bool:
    if not has_kernels(x) or x.dtype not in (torch.float32, torch.bfloat16) or not x.numel():
        return False
    return bool(x.detach().abs().amax() <= LARGEST)


class _AdditiveScores(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, vector: Tensor) -> Tensor:
        (B, T, A), S = query.shape, key.shape[1]
        queries, keys = ((2 * x.float()).exp_().contiguous() for x in (query, key))
        weights = vector.float().contiguous()
        scores = torch.empty(B, T, S)
        arrays = flat_view(queries), flat_view(keys), weight_view(weights)
        ctx.sizes = Sizes(B, T, S, A)
        kernels.additive_scores(torch_team(), *arrays, ctx.sizes, flat_view(scores))
        ctx.save_for_backward(queries, keys, weights)
        ctx.dtypes = query.dtype, key.dtype, vector.dtype
        return scores

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, errors: Tensor) -> tuple[Tensor, ...]:
        queries, keys, weights = ctx.saved_tensors
        sizes: Sizes = ctx.sizes
        results = torch.empty_like(queries), torch.empty_like(keys)
        of_vector = torch.empty(sizes.num_texts, sizes.dim)
        arrays = flat_view(queries), flat_view(keys), weight_view(weights)
        written = flat_view(results[0]), flat_view(results[1]), flat_view(of_vector)
        read = flat_view(errors.float().contiguous())
        kernels.additive_scores_backward(torch_team(), read, *arrays, sizes, *written)
        found = (*results, of_vector.sum(0))
        return tuple(x.to(dtype) for x, dtype in zip(found, ctx.dtypes, strict=True))


_apply: Callable[..., Tensor] = _AdditiveScores.apply
