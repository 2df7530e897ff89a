"""Normalisation of states: by mean and deviation (Ba et al. 2016), or by root mean square only."""

from __future__ import annotations

from typing import Literal

from torch import nn

__all__ = ["NormKind", "make_norm"]

NormKind = Literal["layer", "rms"]


def make_norm(kind: NormKind, dim: int, *, eps: float, bias: bool) -> nn.Module:
    """Return a norm over the last D columns; `bias` says whether a layer norm may shift."""
    if kind == "rms":
        return nn.RMSNorm(dim, eps=eps)
    return nn.LayerNorm(dim, eps=eps, bias=bias)
