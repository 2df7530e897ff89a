"""What one text of a row says of each word of the other: attention between two texts.

The aligned question embedding of Chen et al. 2017 ("Reading Wikipedia to Answer Open-Domain
Questions", 3.2), in both directions, as Parikh et al. 2016 ("A Decomposable Attention Model", 3.1)
align two sentences.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["OtherText", "looks_across", "weighted_mean"]


class OtherText(nn.Module):
    """The mean of the other text's vectors, each weighed by how close it is to a position's own.

    Weights are softmax(α(x_i) · α(x_j) / sqrt(E)), where α is one rectified layer.

    Args:
        dim: width of the vectors, E.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.key = nn.Linear(dim, dim)

    def forward(self, x: Tensor, across: Tensor) -> Tensor:
        """Map (B, T, E) to (B, T, E), zeros where there is no other text.

        Args:
            x: vectors of both texts.
            across: (B, T, T) bool, [b, i, j] = j is of the text that i is not of.
        """
        keys = F.relu(self.key(x)) * x.shape[-1] ** -0.25  # both factors of a product are scaled
        return weighted_mean(x, keys @ keys.transpose(1, 2), across)


def looks_across(is_second: Tensor, token_mask: Tensor | None) -> Tensor:
    """Return which positions are of the other text, (B, T, T) bool; padding is of none.

    Args:
        is_second: (B, T) bool, True = of the second text.
        token_mask: (B, T) bool, True = a real word; None: all are.
    """
    across = is_second[:, :, None] != is_second[:, None]
    return across if token_mask is None else across & token_mask[:, None]


def weighted_mean(x: Tensor, scores: Tensor, allowed: Tensor) -> Tensor:
    """Return the means of vectors (B, T, D) by the softmax of scores (B, N, T), (B, N, D).

    Args:
        x: the vectors.
        scores: of each of them, for each of N means.
        allowed: (B, N, T) bool, those that count; where none does, the mean is zeros.
    """
    scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1, dtype=torch.promote_types(scores.dtype, torch.float32))
    return weights.masked_fill(~allowed, 0.0).to(x.dtype) @ x
