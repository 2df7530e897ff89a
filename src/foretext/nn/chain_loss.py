"""The likelihood of a sequence of tags: on a CPU by a kernel, elsewhere by torch.

The kernel computes the gradients in the same pass, and reads real tokens only. Where its weights
underflow, torch's own operations, which add up logarithms, take over.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from foretext.kernels.crf import expectations
from foretext.nn.chain import Chain, RealTokens, as_batch, real_tokens, team_for
from foretext.nn.path_sums import log_partition, path_score
from foretext.nn.team import has_kernels

__all__ = ["negative_log_likelihood"]


def negative_log_likelihood(
    emissions: Tensor, chain: Chain, tags: Tensor, token_mask: Tensor | None
) -> Tensor:
    """Return -log P(tags), (), summed over the sentences of a batch.

    Args:
        emissions: (B, T, C) float32 or float64.
        tags: (B, T) int64; those of tokens that are not real are ignored.
        token_mask: (B, T) bool, True = a real token; None: all are.
    """
    if has_kernels(emissions):
        learns = torch.is_grad_enabled() and any(x.requires_grad for x in (emissions, *chain))
        loss: Tensor = _apply(emissions, *chain, tags, token_mask, learns)
        if bool(torch.isfinite(loss)):
            return loss
    total = log_partition(emissions, chain, token_mask)  # (B,)
    return (total - path_score(emissions, chain, tags, token_mask)).sum()


class _ChainLoss(torch.autograd.Function):
    """Forward computes the gradients as well; backward multiplies them by the incoming one."""

    @staticmethod
    def forward(
        ctx: Any,
        emissions: Tensor,
        transitions: Tensor,
        start: Tensor,
        end: Tensor,
        tags: Tensor,
        token_mask: Tensor | None,
        learns: bool,
    ) -> Tensor:
        chain = Chain(transitions, start, end)
        tokens = real_tokens(token_mask, tuple(tags.shape))  # type: ignore[arg-type]
        scores, right = tokens.scores(emissions, chain), tokens.rows(tags)
        steps = transitions.detach().numpy().astype(np.float64)
        N, C = scores.shape
        found = expectations(scores, steps, tokens.starts, learns=learns, team=team_for(N, C))
        taken = _steps_taken(right, tokens, C)
        gold = scores[np.arange(N), right].sum() + (steps * taken).sum()
        if learns:
            assert found.tags is not None
            found.tags[np.arange(N), right] -= 1.0
            ctx.save_for_backward(
                as_batch(found.tags, tokens, emissions),
                torch.from_numpy(found.steps - taken).to(transitions.dtype),
                torch.from_numpy(found.tags[tokens.firsts].sum(axis=0)).to(start.dtype),
                torch.from_numpy(found.tags[tokens.lasts].sum(axis=0)).to(end.dtype),
            )
        return emissions.new_tensor(found.log_partition - gold)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor) -> tuple[Tensor | None, ...]:
        return (*(gradient * scale for gradient in ctx.saved_tensors), None, None, None)


_apply: Any = _ChainLoss.apply


def _steps_taken(tags: np.ndarray, tokens: RealTokens, num_tags: int) -> np.ndarray:
    """(C, C) how often the tag of the column follows that of the row."""
    inside = np.ones(max(len(tags) - 1, 0), bool)
    inside[tokens.lasts[:-1]] = False  # from one sentence to the next
    flat = (tags[:-1] * num_tags + tags[1:])[inside]
    return np.bincount(flat, minlength=num_tags**2).reshape(num_tags, num_tags)
