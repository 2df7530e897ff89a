"""A learned mix of the layers of a network (Peters et al. 2018, equation 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["ScalarMix"]


class ScalarMix(nn.Module):
    """γ · Σ s_j h_j: the layers h_j, weighted by a softmax, times a scale.

    The weights begin equal, the scale begins as 1.

    Args:
        num_layers: L, of the states, the embeddings among them.
        normed: whether each state gets mean 0 and variance 1 before it is weighted (section 3.2).
    """

    def __init__(self, num_layers: int, *, normed: bool = False) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(num_layers))
        self.scale = nn.Parameter(torch.ones(1))  # γ
        self.normed = normed

    @property
    def weights(self) -> Tensor:
        """The weight s_j of each layer, (L,); they sum to 1."""
        exact = torch.promote_types(self.scores.dtype, torch.float32)
        return self.scores.to(exact).softmax(-1)

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """Mix L states (B, T, D) to (B, T, D)."""
        assert len(layers) == len(self.scores), f"{len(layers)} layers, not {len(self.scores)}"
        if self.normed:
            layers = [F.layer_norm(layer, layer.shape[-1:]) for layer in layers]
        factors = (self.scale * self.weights).to(layers[0].dtype)
        return torch.stack(list(layers), -1) @ factors
