"""Attention for training on a CPU: batched products, and one kernel between them.

PyTorch's fused attention for CPUs makes its own small products, which at the sizes of a small model
are eight times slower, backward above all, than those of the matrix library. Here whole groups of
heads are multiplied at once (Vaswani et al. 2017, 3.2.1); scores are made again in backward and
never held for more than a group (Dao et al. 2022, "FlashAttention", section 3.1).

N: heads of all texts, T: queries, S: keys, d: width of a head.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels.attention import HIDDEN, Bias, softmax, softmax_backward
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view

__all__ = ["cpu_attention"]

GROUP_BYTES = 1 << 22  # of scores at a time: they should stay in the cache
LANES = 16  # columns that a kernel works on at once


def cpu_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    visible: Tensor | None = None,
    *,
    causal: bool = False,
) -> Tensor:
    """Return means of values, (B, H, T, d), as `scaled_dot_product_attention` does.

    Args:
        query: (B, H, T, d), float32 or bfloat16, on a CPU.
        key: (B, H, S, d).
        value: (B, H, S, d).
        visible: (B or 1, 1, T or 1, S) bool, True where a query may look at a key. A query that may
            look at none looks at all.
        causal: whether a query may look at no key after it; T = S.
    """
    return _apply(query, key, value, _hiding(query, key, visible, causal))


def _hiding(query: Tensor, key: Tensor, visible: Tensor | None, causal: bool) -> Tensor:
    """Return what is added to scores, (B or 1, T or 1, padded S) float32: zero, or `HIDDEN`."""
    T, S = query.shape[2], key.shape[2]
    if causal:
        assert T == S, f"causal sight of {T} queries on {S} keys"
        before = torch.ones(T, S, dtype=torch.bool).tril()
        visible = before[None, None] if visible is None else visible & before
    hidden = torch.full((1, 1, _padded(S)), 2 * HIDDEN)  # padding, below what is hidden
    hidden[..., :S] = 0.0
    if visible is None:
        return hidden
    hidden = hidden.repeat(visible.shape[0], visible.shape[2], 1)
    hidden[..., :S].masked_fill_(~visible[:, 0], HIDDEN)
    return hidden


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, hiding: Tensor) -> Tensor:
        B, H, T, d = query.shape
        q, k, v = query.reshape(-1, T, d), _packed(key), _packed(value)  # (N, T or padded S, d)
        normalisers = torch.empty(q.shape[:2])
        mixed = torch.empty_like(q)
        for heads, bias in _groups(q, k, hiding, H):
            scores = torch.bmm(q[heads], k[heads].mT)  # (n, T, S)
            softmax(
                torch_team(),
                flat_view(scores),
                bias,
                d**-0.5,
                flat_view(normalisers[heads]),
                *scores.shape[1:],
            )
            torch.bmm(scores, v[heads], out=mixed[heads])
        ctx.save_for_backward(q, k, v, hiding, normalisers)
        ctx.num_keys = key.shape[2]
        return mixed.view(B, H, T, d)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        B, H, T, d = gradient.shape
        q, k, v, hiding, normalisers = ctx.saved_tensors
        mixed = gradient.reshape(-1, T, d)
        dq, dk, dv = (torch.empty_like(tensor) for tensor in (q, k, v))
        for heads, bias in _groups(q, k, hiding, H):
            scores = torch.bmm(q[heads], k[heads].mT)
            errors = torch.bmm(mixed[heads], v[heads].mT)  # of P, then of scores
            softmax_backward(
                torch_team(),
                flat_view(scores),
                flat_view(errors),
                bias,
                d**-0.5,
                flat_view(normalisers[heads]),
                *scores.shape[1:],
            )
            torch.bmm(scores.mT, mixed[heads], out=dv[heads])
            torch.bmm(errors, k[heads], out=dq[heads])
            torch.bmm(errors.mT, q[heads], out=dk[heads])
        keys = slice(ctx.num_keys)
        dq, dk, dv = (tensor.view(B, H, -1, d) for tensor in (dq, dk, dv))
        return dq, dk[:, :, keys], dv[:, :, keys], None


_apply: Callable[..., Tensor] = _Attention.apply


def _groups(q: Tensor, k: Tensor, hiding: Tensor, num_heads: int) -> Iterator[tuple[slice, Bias]]:
    """Cut all heads into groups whose scores stay in the cache."""
    size = max(1, GROUP_BYTES // (q.shape[1] * k.shape[1] * q.element_size()))
    texts, rows, S = hiding.shape
    strides = (rows * S if texts > 1 else 0, S if rows > 1 else 0)
    for first in range(0, len(q), size):
        yield slice(first, first + size), Bias(flat_view(hiding), *strides, num_heads, first)


def _padded(num_keys: int) -> int:
    return math.ceil(num_keys / LANES) * LANES


def _packed(tensor: Tensor) -> Tensor:
    """Return (B, H, S, d) as (N, padded S, d), with zeros behind the S."""
    B, H, S, d = tensor.shape
    if _padded(S) == S:
        return tensor.reshape(-1, S, d)
    packed = tensor.new_zeros(B * H, _padded(S), d)
    packed.view(B, H, -1, d)[:, :, :S] = tensor
    return packed
