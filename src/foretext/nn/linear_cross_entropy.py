"""The vocabulary head and its loss in one, without ever holding all logits.

Some hundred rows at a time get their logits, which become their own gradient in place
(`foretext.kernels.cross_entropy`) and are multiplied into the gradients of states and weight at
once. What is kept for backward has the size of the parameters, not of the logits. "Liger Kernel"
(Hsu et al. 2024, section 3.2) does the same on GPUs.

M: target positions, V: vocabulary, D: width.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels.cross_entropy import cross_entropy
from foretext.nn.team import has_kernels, torch_team
from foretext.nn.views import flat_view, weight_view

__all__ = ["linear_cross_entropy", "sampled_cross_entropy"]

CHUNK_BYTES = 1 << 25  # of logits at a time


def linear_cross_entropy(
    states: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    smoothing: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Return the summed -log P(target), float32, and how often the target was the best guess.

    On a CPU the gradients are computed in the same pass, so backward costs almost nothing.

    Args:
        states: (M, D); the products have their precision, sums are float32.
        weight: (V, D); brought to the precision of the states.
        bias: (V,) or None.
        targets: (M,) int64 in 0..V-1; every row counts.
        smoothing: share of a target's probability that all V words divide (label smoothing).
    """
    loss, correct, _ = _scored(states, weight, bias, targets, torch.empty(0), smoothing)
    return loss, correct


def sampled_cross_entropy(
    states: Tensor, weight: Tensor, bias: Tensor | None, targets: Tensor, draws: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return loss and hits as `linear_cross_entropy`, and ids (M,) drawn from the predictions.

    Args:
        draws: (M,) float32, uniform in [0, 1): the same numbers draw the same ids. With (0,) none
            is drawn.
    """
    return _scored(states, weight, bias, targets, draws, 0.0)


def _scored(
    states: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    draws: Tensor,
    smoothing: float,
) -> tuple[Tensor, Tensor, Tensor]:
    weight = weight.to(states.dtype)
    bias = None if bias is None else bias.to(states.dtype)
    if not has_kernels(states) or states.dtype not in (torch.float32, torch.bfloat16):
        logits = F.linear(states, weight, bias).to(torch.promote_types(states.dtype, torch.float32))
        correct = (logits.argmax(-1) == targets).sum()
        loss = F.cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)
        return loss, correct, _drawn(logits, draws)
    parts = [tensor for tensor in (states, weight, bias) if tensor is not None]
    learns = torch.is_grad_enabled() and any(part.requires_grad for part in parts)
    return _apply(states, weight, bias, targets, draws, smoothing, learns)


@torch.no_grad()
def _drawn(logits: Tensor, draws: Tensor) -> Tensor:
    """Where the running sum of each row's chances exceeds its draw, (M,)."""
    if not len(draws):
        return torch.empty(0, dtype=torch.int64)
    sums = logits.softmax(-1).cumsum(-1)
    wanted = draws.to(sums)[:, None] * sums[:, -1:]
    found = torch.searchsorted(sums, wanted, right=True)[:, 0]
    return found.clamp_max(logits.shape[1] - 1)


class _LinearCrossEntropy(torch.autograd.Function):
    """Forward computes the gradients of the sum; backward multiplies them by the incoming one."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        draws: Tensor,
        smoothing: float,
        learns: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        found = _Found.empty(targets, draws)
        gradients = _Gradients(states, weight, bias) if learns else None
        rows = max(1, CHUNK_BYTES // (len(weight) * states.element_size()))
        with torch.autocast("cpu", enabled=False):
            for first in range(0, len(states), rows):
                part = slice(first, first + rows)
                logits = states[part] @ weight.t()  # (m, V)
                of_part = targets[part], draws[part], found.rows(part)
                _score(logits, bias, *of_part, smoothing, learns)
                if gradients is not None:
                    gradients.add(part, logits)
        if gradients is not None:
            ctx.save_for_backward(*gradients.totals())
        count = found.correct.sum()
        ctx.mark_non_differentiable(count, found.drawn)
        return found.losses.sum(), count, found.drawn

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        totals = ctx.saved_tensors
        if scale != 1:
            totals = [None if total is None else total * scale.to(total.dtype) for total in totals]
        return (*totals, None, None, None, None)


class _Found(NamedTuple):
    """What the kernel writes of each row."""

    losses: Tensor  # (M,)
    correct: Tensor  # (M,) bool
    drawn: Tensor  # (M,) int64, or (0,)

    @classmethod
    def empty(cls, targets: Tensor, draws: Tensor) -> _Found:
        """Return room for as many rows as there are targets."""
        return cls(
            torch.empty(len(targets)),
            torch.empty(len(targets), dtype=torch.bool),
            torch.empty(len(draws), dtype=torch.int64),
        )

    def rows(self, part: slice) -> _Found:
        """Return the room of some rows."""
        return _Found(*(room[part] for room in self))


class _Gradients:
    """Sums over chunks of d loss / d (states, weight, bias), float32 where there are several."""

    def __init__(self, states: Tensor, weight: Tensor, bias: Tensor | None) -> None:
        self.inputs = states, weight, bias
        self.states = torch.zeros_like(states)
        self.weight: Tensor | None = None
        self.bias: Tensor | None = None

    def add(self, part: slice, errors: Tensor) -> None:
        """Add what follows from the gradient of a chunk's logits, (m, V)."""
        states, weight, bias = self.inputs
        torch.mm(errors, weight, out=self.states[part])
        self.weight = _sum(self.weight, errors.t() @ states[part])
        if bias is not None:
            self.bias = _sum(self.bias, errors.sum(0))

    def totals(self) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return each sum in the precision of its tensor."""
        states, weight, bias = self.inputs
        total = torch.zeros_like(weight) if self.weight is None else self.weight.to(states.dtype)
        if bias is None or self.bias is None:
            return self.states, total, None if bias is None else torch.zeros_like(bias)
        return self.states, total, self.bias.to(states.dtype)


def _sum(total: Tensor | None, part: Tensor) -> Tensor:
    return part if total is None else total.float().add_(part)


_apply: Callable[..., tuple[Tensor, Tensor, Tensor]] = _LinearCrossEntropy.apply


def _score(
    logits: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    draws: Tensor,
    found: _Found,
    smoothing: float,
    learns: bool,
) -> None:
    """Fill what is `found`; if something learns, turn logits into their gradient."""
    V = logits.shape[1]
    if not 0 <= int(targets.min()) <= int(targets.max()) < V:
        raise IndexError(f"targets from {targets.min()} to {targets.max()} for {V} words")
    bias = logits.new_zeros(V) if bias is None else bias
    cross_entropy(
        torch_team(),
        flat_view(logits),
        weight_view(bias.contiguous()),
        flat_view(targets.contiguous()),
        flat_view(found.losses),
        flat_view(found.correct),
        learns,
        flat_view(draws.contiguous()),
        flat_view(found.drawn),
        np.float32(smoothing),
    )
