"""The numbers that a peer at its best computes in."""

from __future__ import annotations

import torch

from foretext.nn.precision import choose_dtype

__all__ = ["has_bfloat16", "native_autocast"]


def has_bfloat16() -> bool:
    """Return whether the processor multiplies bfloat16 itself; without, float32 is faster."""
    return choose_dtype("auto", torch.device("cpu")) is torch.bfloat16


def native_autocast() -> torch.autocast:
    """Mixed precision where it pays."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=has_bfloat16())
