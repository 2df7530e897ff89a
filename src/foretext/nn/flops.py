"""Floating-point operations of a training step: a formula that a network gives of itself.

A matrix of N numbers takes 2 N operations a token forward and 4 N backward; attention takes
12 L D T a token (Chowdhery et al. 2022, "PaLM", appendix B). A frozen part runs forward only.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from foretext.data.batch import Inputs

__all__ = ["Flops", "matrix_flops", "num_passes"]

PASSES = 3  # one forward; the backward pass takes as much as two


class Flops(NamedTuple):
    """Operations of a forward and a backward pass; padding does not count."""

    per_token: int
    per_pair: int  # of positions: a query and a key
    # of the tokens and pairs of a source text, and of the pairs of a token with one of the source
    per_source_token: int = 0
    per_source_pair: int = 0
    per_cross_pair: int = 0

    def of(self, inputs: Inputs) -> int:
        """Return the operations of a step on these inputs."""
        own = _lengths(inputs)
        total = self.per_token * int(own.sum()) + self.per_pair * int((own**2).sum())
        if inputs.source is None:
            return total
        source = _lengths(inputs.source)
        total += self.per_source_token * int(source.sum())
        total += self.per_source_pair * int((source**2).sum())
        return total + self.per_cross_pair * int((own * source).sum())


def _lengths(inputs: Inputs) -> Tensor:
    """Return the tokens of each row, (B,)."""
    mask, (B, T) = inputs.token_mask, inputs.ids.shape
    return torch.full((B,), T) if mask is None else mask.sum(1)


def num_passes(module: nn.Module) -> int:
    """Return 3 for a module that learns, 1 for a frozen one."""
    return PASSES if any(parameter.requires_grad for parameter in module.parameters()) else 1


def matrix_flops(module: nn.Module) -> int:
    """Return the operations of one token that passes through all matrices of a module."""
    matrices = [parameter for parameter in module.parameters() if parameter.dim() == 2]
    return 2 * num_passes(module) * sum(matrix.numel() for matrix in matrices)
