"""Floating-point operations of a training step: a formula that a network gives of itself.

A matrix of N numbers takes 2 N operations a token forward and 4 N backward; attention takes
12 L D T a token (Chowdhery et al. 2022, "PaLM", appendix B). A frozen part runs forward only.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import nn

from foretext.data.batch import Inputs

__all__ = ["Flops", "matrix_flops", "num_passes"]

PASSES = 3  # one forward; the backward pass takes as much as two


class Flops(NamedTuple):
    """Operations of a forward and a backward pass; padding does not count."""

    per_token: int
    per_pair: int  # of positions: a query and a key

    def of(self, inputs: Inputs) -> int:
        """Return the operations of a step on these inputs."""
        B, T = inputs.ids.shape
        if inputs.token_mask is None:
            num_tokens, num_pairs = B * T, B * T * T
        else:
            lengths = inputs.token_mask.sum(1)
            num_tokens, num_pairs = int(lengths.sum()), int((lengths**2).sum())
        return self.per_token * num_tokens + self.per_pair * num_pairs


def num_passes(module: nn.Module) -> int:
    """Return 3 for a module that learns, 1 for a frozen one."""
    return PASSES if any(parameter.requires_grad for parameter in module.parameters()) else 1


def matrix_flops(module: nn.Module) -> int:
    """Return the operations of one token that passes through all matrices of a module."""
    matrices = [parameter for parameter in module.parameters() if parameter.dim() == 2]
    return 2 * num_passes(module) * sum(matrix.numel() for matrix in matrices)
