"""The best tokens of rows of logits, by a kernel on a CPU."""

from __future__ import annotations

import torch
from torch import Tensor

from foretext.kernels.best_tokens import best_tokens as kernel
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view

__all__ = ["best_tokens"]


def best_tokens(logits: Tensor, num: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the largest logits and their ids, (R, K), the largest first, and log Σ exp, (R,).

    Args:
        logits: (R, V) float32.
        num: K, at most V.
    """
    if logits.device.type != "cpu":
        best, ids = logits.topk(num)
        return best, ids, logits.logsumexp(-1)
    logits = logits.contiguous()
    R, V = logits.shape
    values, log_sums = logits.new_empty(R, num), logits.new_empty(R)
    ids = torch.empty(R, num, dtype=torch.int64)
    outputs = (flat_view(values), flat_view(ids), flat_view(log_sums))
    kernel(torch_team(), flat_view(logits), V, num, *outputs)
    return values, ids, log_sums
