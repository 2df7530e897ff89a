"""Multi-head attention (Vaswani et al. 2017, section 3.2).

What a position may look at comes from outside, as an `AttentionMask`. Scores are never held as a
whole: the work is done by PyTorch's fused attention or, where a CPU trains, by ours.

Attention for training on a CPU: batched products, and one kernel between them. PyTorch's fused
attention for CPUs makes its own small products, which at the sizes of a small model are eight
times slower, backward above all, than those of the matrix library. Here whole groups of heads are
multiplied at once (Vaswani et al. 2017, 3.2.1); scores are computed again in the backward pass
and never held for more than a group (Dao et al. 2022, "FlashAttention", section 3.1).

N: heads of all texts, T: queries, S: keys, d: width of a head.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.attention import SDPBackend, sdpa_kernel

from foretext.kernels import attention_softmax as kernels
from foretext.kernels.attention_softmax import HIDDEN, Addend
from foretext.nn.attention_mask import AttentionMask
from foretext.nn.cache import KeyValueCache
from foretext.nn.parted_linear import PartedLinear
from foretext.nn.positions import Rotation
from foretext.nn.step_attention import can_step
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.unpadded import Unpadded
from foretext.nn.views import flat_view

__all__ = ["Layout", "SelfAttention", "Source", "attend", "cpu_attention", "split_heads"]

GROUP_BYTES = 1 << 22  # of scores at a time: they should stay in the cache
LANES = 16  # columns that a kernel works on at once
WITHOUT_PLANS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


class Source(NamedTuple):
    """Another text that positions look at."""

    memory: Tensor | None  # (B, S, E), its states; None: a cache has its keys and values
    mask: AttentionMask  # of its real tokens


class Layout(NamedTuple):
    """How the positions of a batch relate to each other in a layer."""

    mask: AttentionMask
    rotation: Rotation | None = None  # of queries and keys by their positions
    bias: Tensor | None = None  # (B or 1, H, T, S), added to the scores
    # (2 S - 1, D), vectors of the distances S - 1 to 1 - S, for disentangled attention
    distances: Tensor | None = None
    source: Source | None = None
    # Where the positions stand one after another without padding; all else is of them side by side
    unpadded: Unpadded | None = None


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: AttentionMask,
    bias: Tensor | None = None,
    scale: float | None = None,
    *,
    dropout: float = 0.0,
    continues: bool = False,
) -> Tensor:
    """Return, for each query, the mean of the values that it looks at, (B, H, T, d).

    Args:
        query: (B, H, T, d).
        key: (B, H, S, d).
        value: (B, H, S, d).
        mask: which keys a query may look at; the caller cuts `num_queries`.
        bias: (B or 1, H, T, S), added to the scaled scores; it may want a gradient.
        scale: of the scores; None: 1 / √d.
        dropout: share of the weights that is dropped; it costs the fast path on a CPU.
        continues: whether texts are continued by one position at a time.
    """
    # Ours trains faster and, in bfloat16, infers faster; continuing a text is PyTorch's.
    halved = query.dtype == torch.bfloat16 and not continues
    if has_kernels(query) and not dropout and (torch.is_grad_enabled() or halved):
        return cpu_attention(query, key, value, mask.visible, bias, causal=mask.causal, scale=scale)
    visible, causal = mask.visible, mask.causal
    if bias is not None:
        visible, causal = _masked_bias(bias.to(query.dtype), mask), False
    with _kernels_for(query, visible):
        return F.scaled_dot_product_attention(
            query, key, value, visible, dropout, is_causal=causal, scale=scale
        )


def _kernels_for(query: Tensor, visible: Tensor | None) -> AbstractContextManager[None]:
    """Keep cuDNN's attention from batches whose shapes change, on a CUDA device.

    For each new shape it makes a plan, which takes a millisecond, and 3.4 backward, where the work
    itself takes 0.04: it pays for rows of one length alone, which pretraining has.
    """
    varies = visible is not None or not torch.is_grad_enabled()
    if not (query.is_cuda and varies):
        return nullcontext()
    return _without_plans() if torch.compiler.is_compiling() else WITHOUT_CUDNN


class _WithoutCudnn:
    """Does as `sdpa_kernel` does, in 3 microseconds where that takes 17.

    The switch is one of the whole process, and threads attend side by side: the first to come
    turns it off, and the last to go turns it back to what it was.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = True

    def __enter__(self) -> None:
        with self.lock:
            if not self.users:
                self.before = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
                torch.backends.cuda.enable_cudnn_sdp(False)
            self.users += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.users -= 1
            if not self.users:
                torch.backends.cuda.enable_cudnn_sdp(self.before)


WITHOUT_CUDNN = _WithoutCudnn()


def _without_plans() -> AbstractContextManager[None]:
    """Return what leaves the kernels that make no plans, of those that the user left on."""
    kernels = [kernel for kernel, is_on in zip(WITHOUT_PLANS, _enabled(), strict=True) if is_on]
    return sdpa_kernel(kernels) if kernels else nullcontext()


def _enabled() -> tuple[bool, ...]:
    """Return which of `WITHOUT_PLANS` are on; a compiler asks once, while it compiles."""
    cuda: Any = torch.backends.cuda
    return cuda.flash_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.math_sdp_enabled()


# All that `torch.compiler.assume_constant_result` does; to call it loads the whole compiler, which
# takes every process a second, and few of them compile.
_enabled._dynamo_marked_constant = True  # type: ignore[attr-defined]


def split_heads(x: Tensor, num_parts: int, num_heads: int) -> tuple[Tensor, ...]:
    """Cut (B, T, num_parts * D) into (B, H, T, D / H) each."""
    B, T, width = x.shape
    heads = x.view(B, T, num_parts, num_heads, width // num_parts // num_heads)
    return heads.permute(2, 0, 3, 1, 4).unbind(0)


class SelfAttention(nn.Module):
    """Each position becomes a mean of what it looks at.

    Args:
        dim: width.
        num_heads: means taken side by side.
        bias: whether the four maps have an additive part.
        dropout: share of the weights that is dropped in training.
        scale: of the scores; None: 1 / √d.
        head_dim: width of a head, d; None: dim / num_heads.
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        bias: bool,
        dropout: float,
        scale: float | None = None,
        head_dim: int | None = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.scale = scale
        self.width = num_heads * (head_dim or dim // num_heads)  # of all queries
        self.query_key_value = PartedLinear(dim, 3 * self.width, bias=bias)
        self.output = nn.Linear(self.width, dim, bias=bias)

    def forward(
        self,
        x: Tensor,
        layout: Layout,
        layer: int = 0,
        cache: KeyValueCache | None = None,
        num_needed: int | None = None,
    ) -> Tensor:
        """Map x (B, T, D) to (B, T, D), or to the first `num_needed` positions of that.

        Without padding, x is (1, N, D).
        """
        query, key, value = self._heads(x, layout, num_needed)
        if cache is not None and cache.scattered is not None and _steps(query, layout):
            mixed = cache.scattered.attend(
                layer, query, key, value, cache.length, layout.bias, self.scale
            )
            return self.output(mixed.transpose(1, 2).flatten(2))
        if cache is not None:
            key, value = cache.extend(layer, key, value)
        mask, bias = layout.mask, self.bias_of(query, key, layout)
        if num_needed is not None:
            mask, bias = _first_queries(mask, bias, num_needed)
        dropout = self.dropout if self.training else 0.0
        one = x.shape[1] == 1
        mixed = attend(query, key, value, mask, bias, self.scale, dropout=dropout, continues=one)
        mixed = mixed.transpose(1, 2).flatten(2)
        return self.output(mixed if layout.unpadded is None else layout.unpadded.joined(mixed))

    @torch.no_grad()
    def soften(self) -> None:
        """Make random queries so small that scores that are not scaled begin like scaled ones."""
        if self.scale is not None:
            width = self.width // self.num_heads
            self.query_key_value.weight[: self.width].mul_(width**-0.5 / self.scale)

    def weights(self, x: Tensor, layout: Layout) -> Tensor:
        """Return how much each position takes from each, (B, H, T, S); rows sum to 1."""
        query, key, _ = self._heads(x, layout, None)
        scores = query @ key.transpose(-1, -2)
        scores = scores / math.sqrt(query.shape[-1]) if self.scale is None else scores * self.scale
        bias = self.bias_of(query, key, layout)
        if bias is not None:
            scores = scores + bias
        visible = _visible(layout.mask, scores)
        return (scores if visible is None else scores.masked_fill(~visible, -math.inf)).softmax(-1)

    def bias_of(self, query: Tensor, key: Tensor, layout: Layout) -> Tensor | None:
        """Return what is added to the scaled scores of queries and keys, (B or 1, H, T, S)."""
        return layout.bias

    def _heads(
        self, x: Tensor, layout: Layout, num_needed: int | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries (B, H, T, D / H), keys and values (B, H, S, D / H)."""
        num_queries, H = layout.mask.num_queries, self.num_heads
        if num_needed is None and not num_queries:
            parts = self.query_key_value(x)
            whole = parts if layout.unpadded is None else layout.unpadded.apart(parts)
            query, key, value = split_heads(whole, 3, H)
        else:
            part, D = self.query_key_value.part, self.width
            keys = x[:, :-num_queries] if num_queries else x
            (query,) = split_heads(part(x[:, :num_needed], slice(D)), 1, H)
            key, value = split_heads(part(keys, slice(D, None)), 2, H)
        if layout.rotation is not None:
            query, key = layout.rotation.applied(query), layout.rotation.applied(key)
        return query, key, value


def _steps(query: Tensor, layout: Layout) -> bool:
    """Whether queries (B, H, T, d) are of one new position, which looks at all before it."""
    return layout.mask.visible is None and can_step(query, layout.bias)


def _first_queries(
    mask: AttentionMask, bias: Tensor | None, num_needed: int
) -> tuple[AttentionMask, Tensor | None]:
    if mask.visible is not None and mask.visible.shape[2] > 1:
        mask = mask._replace(visible=mask.visible[:, :, :num_needed])
    return mask, None if bias is None else bias[:, :, :num_needed]


def _visible(mask: AttentionMask, scores: Tensor) -> Tensor | None:
    """Return all that a mask says as one tensor, broadcast to scores (..., T, S)."""
    if not mask.causal:
        return mask.visible
    T, S = scores.shape[-2:]
    before = torch.ones(T, S, dtype=torch.bool, device=scores.device).tril()
    return before if mask.visible is None else before & mask.visible


def _masked_bias(bias: Tensor, mask: AttentionMask) -> Tensor:
    visible = _visible(mask, bias)
    return bias if visible is None else bias.masked_fill(~visible, -math.inf)


def cpu_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    visible: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """Return means of values, (B, H, T, d), as `scaled_dot_product_attention` does.

    Args:
        query: (B, H, T, d), float32 or bfloat16, on a CPU.
        key: (B, H, S, d).
        value: (B, H, S, d).
        visible: (B or 1, 1, T or 1, S) bool, True where a query may look at a key. A query that may
            look at none looks at all.
        bias: (B or 1, H, T, S), finite numbers added to the scaled scores.
        causal: whether a query may look at no key after it; T = S.
        scale: of the scores; None: 1 / √d.
    """
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    return _apply(query, key, value, _hiding(query, key, visible, causal), bias, scale)


def _hiding(query: Tensor, key: Tensor, visible: Tensor | None, causal: bool) -> Tensor:
    """Return what hides keys, (B or 1, 1, T or 1, padded S) float32: zero, or `HIDDEN`."""
    T, S = query.shape[2], key.shape[2]
    if causal:
        assert T == S, f"a causal mask of {T} queries on {S} keys"
        before = torch.ones(T, S, dtype=torch.bool).tril()
        visible = before[None, None] if visible is None else visible & before
    hidden = torch.full((1, 1, 1, _padded(S)), 2 * HIDDEN)  # padding, below what is hidden
    hidden[..., :S] = 0.0
    if visible is None:
        return hidden
    hidden = hidden.repeat(visible.shape[0], 1, visible.shape[2], 1)
    hidden[..., :S].masked_fill_(~visible, HIDDEN)
    return hidden


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        hiding: Tensor,
        bias: Tensor | None,
        scale: float,
    ) -> Tensor:
        B, H, T, d = query.shape
        q, k, v = query.reshape(-1, T, d), _packed(key), _packed(value)  # (N, T or padded S, d)
        softmax = _Softmax(H, hiding, None if bias is None else _padded_bias(bias), scale)
        normalisers = torch.empty(q.shape[:2])
        mixed = torch.empty_like(q)
        for heads in _groups(q, k):
            scores = torch.bmm(q[heads], k[heads].mT)  # (n, T, S)
            softmax.forward(heads.start, scores, normalisers[heads])
            torch.bmm(scores, v[heads], out=mixed[heads])
        ctx.save_for_backward(q, k, v, normalisers)
        ctx.softmax, ctx.num_keys = softmax, key.shape[2]
        ctx.bias_dtype = bias.dtype if bias is not None and ctx.needs_input_grad[4] else None
        return mixed.view(B, H, T, d)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        B, H, T, d = gradient.shape
        q, k, v, normalisers = ctx.saved_tensors
        softmax: _Softmax = ctx.softmax
        mixed = gradient.reshape(-1, T, d)
        dq, dk, dv = (torch.empty_like(tensor) for tensor in (q, k, v))
        of_bias = None
        if ctx.bias_dtype is not None:
            assert softmax.bias is not None
            of_bias = torch.zeros_like(softmax.bias)
        for heads in _groups(q, k):
            scores = torch.bmm(q[heads], k[heads].mT)
            errors = torch.bmm(mixed[heads], v[heads].mT)  # of P, then of scores
            softmax.backward(heads.start, scores, errors, normalisers[heads])
            torch.bmm(scores.mT, mixed[heads], out=dv[heads])
            torch.bmm(errors, k[heads], out=dq[heads])
            torch.bmm(errors.mT, q[heads], out=dk[heads])
            if of_bias is not None:
                _add_errors(of_bias, heads.start, errors)
        if softmax.bias is not None:  # then the errors are not scaled yet
            dq.mul_(softmax.scale), dk.mul_(softmax.scale)
        keys = slice(ctx.num_keys)
        dq, dk, dv = (tensor.view(B, H, -1, d) for tensor in (dq, dk, dv))
        if of_bias is not None:
            of_bias = of_bias[..., keys].to(ctx.bias_dtype)
        return dq, dk[:, :, keys], dv[:, :, keys], None, of_bias, None


_apply: Callable[..., Tensor] = _Attention.apply


class _Softmax(NamedTuple):
    """The kernel's work on groups of heads, and what it adds to their scores."""

    num_heads: int  # H
    hiding: Tensor  # (B or 1, 1, T or 1, padded S)
    bias: Tensor | None  # (B or 1, H, T, padded S) float32
    scale: float

    def forward(self, first: int, scores: Tensor, normalisers: Tensor) -> None:
        """Overwrite scores (n, T, S) from head `first` on, and their normalisers (n, T)."""
        tail = (self.scale, flat_view(normalisers), *scores.shape[1:])
        addends = self._addends(first)
        run = kernels.softmax if len(addends) == 1 else kernels.biased_softmax
        run(torch_team(), flat_view(scores), *addends, *tail)

    def backward(self, first: int, scores: Tensor, errors: Tensor, normalisers: Tensor) -> None:
        """Overwrite scores by P, and the gradients of P by those of scores or, biased, of both."""
        tail = (self.scale, flat_view(normalisers), *scores.shape[1:])
        addends = self._addends(first)
        run = kernels.softmax_backward if len(addends) == 1 else kernels.biased_softmax_backward
        run(torch_team(), flat_view(scores), flat_view(errors), *addends, *tail)

    def _addends(self, first: int) -> list[Addend]:
        tensors = [tensor for tensor in (self.hiding, self.bias) if tensor is not None]
        return [_addend(tensor, self.num_heads, first) for tensor in tensors]


def _addend(tensor: Tensor, num_heads: int, first_head: int) -> Addend:
    text, head, row = (
        stride if size > 1 else 0
        for size, stride in zip(tensor.shape[:3], tensor.stride()[:3], strict=True)
    )
    return Addend(flat_view(tensor), text, head, row, num_heads, first_head)


def _add_errors(of_bias: Tensor, first: int, errors: Tensor) -> None:
    """Add errors (n, T, S) from head `first` on to the gradient of the bias, summed over texts."""
    planes = of_bias.flatten(0, 1)  # (H, T, S) where texts share the bias, else (N, T, S)
    if first + len(errors) <= len(planes):
        planes[first : first + len(errors)] += errors
    else:
        heads = torch.arange(first, first + len(errors)) % len(planes)
        planes.index_add_(0, heads, errors.float())


def _groups(q: Tensor, k: Tensor) -> Iterator[slice]:
    """Cut all heads into groups whose scores stay in the cache."""
    size = max(1, GROUP_BYTES // (q.shape[1] * k.shape[1] * q.element_size()))
    for first in range(0, len(q), size):
        yield slice(first, first + size)


def _padded(num_keys: int) -> int:
    return math.ceil(num_keys / LANES) * LANES


def _padded_bias(bias: Tensor) -> Tensor:
    """Return (B or 1, H, T, S) as contiguous float32, with zeros behind the S."""
    behind = _padded(bias.shape[3]) - bias.shape[3]
    bias = bias.float()
    return (F.pad(bias, (0, behind)) if behind else bias).contiguous()  # padding by 0 would copy


def _packed(tensor: Tensor) -> Tensor:
    """Return (B, H, S, d) as (N, padded S, d), with zeros behind the S."""
    B, H, S, d = tensor.shape
    if _padded(S) == S:
        return tensor.reshape(-1, S, d)
    packed = tensor.new_zeros(B * H, _padded(S), d)
    packed.view(B, H, -1, d)[:, :, :S] = tensor
    return packed
