"""Attention of one new position of many rows on a CPU, without moving what was remembered."""

from __future__ import annotations

import torch
from torch import Tensor

from foretext.kernels.simd import LANES
from foretext.kernels.step_attention import Sizes
from foretext.kernels.step_attention import step_attention as kernel
from foretext.nn.team import torch_team
from foretext.nn.views import flat_view

__all__ = ["can_step", "step_attention"]

KINDS = (torch.float32, torch.bfloat16)


def can_step(query: Tensor, bias: Tensor | None = None) -> bool:
    """Whether the kernel can attend for queries (R, H, T, d) with a bias; it has no gradient."""
    _, _, T, d = query.shape
    fits = T == 1 and d % LANES == 0 and query.dtype in KINDS
    shared = bias is None or bias.shape[0] == 1
    return fits and shared and query.device.type == "cpu" and not torch.is_grad_enabled()


def step_attention(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    origins: Tensor,
    num_positions: int,
    bias: Tensor | None = None,
    scale: float | None = None,
) -> Tensor:
    """Return, for each row's query, the mean of the values that it looks at, (R, H, 1, d).

    Args:
        query: (R, H, 1, d), d a multiple of 16.
        keys: (rows, room, H, d), as they were written.
        values: (rows, room, H, d).
        origins: the row in which the key of each position stands, (R, S or more) int64, or (R,)
            where that is the same for all positions.
        num_positions: S.
        bias: (N, H or 1, 1, S), added to the scaled scores; R / N rows share one.
        scale: of the scores; None: 1 / √d.
    """
    R, H, _, d = query.shape
    N, H_bias = (1, 1) if bias is None else bias.shape[:2]
    added = torch.zeros(num_positions) if bias is None else bias.float().contiguous()
    sizes = Sizes(
        num_rows=R,
        num_heads=H,
        head_dim=d,
        num_positions=num_positions,
        room=keys.shape[1],
        origin_row=origins.stride(0),
        origin_position=origins.stride(1) if origins.ndim == 2 else 0,
        bias_rows=R // N,
        bias_row=0 if N == 1 else H_bias * num_positions,
        bias_head=0 if H_bias == 1 else num_positions,
    )
    outputs = query.new_empty(R, H, 1, d)
    kernel(
        torch_team(),
        flat_view(query.reshape(R, H * d).contiguous()),
        flat_view(keys),
        flat_view(values),
        flat_view(origins),
        flat_view(added),
        d**-0.5 if scale is None else scale,
        sizes,
        flat_view(outputs),
    )
    return outputs
