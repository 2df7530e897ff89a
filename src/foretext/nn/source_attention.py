"""Attention of one head from a recurrent decoder to its source, as its inventors scored it.

Each state of the decoder is scored against each state of the source, and a softmax over the source
makes weights of the scores. Scores of a state h and a state m of the source:

    additive   v · tanh(W h + U m)   (Bahdanau et al. 2015, A.1.2)
    general    h · W m               (Luong et al. 2015, 3.1)
    dot        h · m                 (the same)

Scores of additive attention (Bahdanau et al. 2015, A.1.2), without a tensor of (B, T, S, A).
PyTorch would hold the hyperbolic tangent of every query with every key, column by column. On a
CPU a kernel adds the columns up at once, and computes them again in the backward pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.kernels import additive_scores as kernels
from foretext.kernels.additive_scores import Sizes
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view, weight_view

__all__ = ["ScoreKind", "SourceAttention", "additive_scores"]

ScoreKind = Literal["additive", "general", "dot"]

LANES = 16  # columns that the kernel works on at once
LARGEST = 20.0  # of a query or key for the kernel: e^2q times e^2k must be finite in float32


class SourceAttention(nn.Module):
    """How much each state of a decoder takes from each state of a source.

    Args:
        kind: of the scores; "dot" needs `memory_dim` = `dim`.
        dim: width of the decoder's states, D.
        memory_dim: width of the source's states, M.
        hidden_dim: width within additive scores, A.
    """

    def __init__(self, kind: ScoreKind, dim: int, memory_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.kind = kind
        additive = kind == "additive"
        self.query = nn.Linear(dim, hidden_dim, bias=False) if additive else nn.Identity()
        width = hidden_dim if additive else dim
        self.key = nn.Identity() if kind == "dot" else nn.Linear(memory_dim, width, bias=False)
        self.vector = nn.Parameter(torch.empty(hidden_dim)) if additive else None
        if self.vector is not None:
            nn.init.uniform_(self.vector, -(hidden_dim**-0.5), hidden_dim**-0.5)

    def keys(self, memory: Tensor) -> Tensor:
        """Return what states are scored against, (B, S, A) or (B, S, D), of memory (B, S, M)."""
        keys: Tensor = self.key(memory)
        return keys

    def forward(self, states: Tensor, keys: Tensor, mask: AttentionMask) -> Tensor:
        """Return the weights (B, T, S), float32, of the states (B, T, D); rows sum to 1.

        Args:
            states: of the decoder.
            keys: from `keys`.
            mask: from `source_mask`.
        """
        if self.vector is None:
            scores = (states @ keys.transpose(1, 2)).float()
        else:
            scores = additive_scores(self.query(states), keys, self.vector).float()
        if mask.visible is not None:
            scores = scores.masked_fill(~mask.visible[:, 0], torch.finfo(torch.float32).min)
        return scores.softmax(-1)


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
