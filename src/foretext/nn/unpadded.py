"""Rows of a batch one after another, without padding, where a CPU infers.

Linear maps, norms and activations work on each position by itself, so padding is work for nothing
(Warner et al. 2024, "ModernBERT", 2.1.3: unpadding). Attention is a small part of the work, and
gets the rows side by side again.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import torch
from torch import Tensor

__all__ = ["Unpadded"]

FILL = 16  # positions are a multiple of it: the matrix library keeps code for each number of them
# Padding times D, for each real position, from which a layer is faster: what attention reads and
# gives is copied, D numbers a position, and each position of padding costs D² multiplications
LEAST_GAIN = 5


class Unpadded(NamedTuple):
    """Which positions of a batch are real.

    Attributes:
        shape: (B, T).
        places: (N,) int64, indices of the real positions in the flattened batch.
        num_filled: positions that fill up.
    """

    shape: torch.Size
    places: Tensor
    num_filled: int

    @classmethod
    def of(cls, token_mask: Tensor | None, dim: int) -> Self | None:
        """Return the real positions of a mask (B, T).

        None: for a network of width `dim` it is as fast to leave the padding in.
        """
        if token_mask is None or token_mask.device.type != "cpu" or torch.is_grad_enabled():
            return None
        if torch.compiler.is_compiling():  # shapes would depend on the mask's values
            return None
        places = token_mask.flatten().nonzero()[:, 0]
        num_filled = -len(places) % FILL
        saved = token_mask.numel() - len(places) - num_filled
        if saved * dim < LEAST_GAIN * len(places):
            return None
        return cls(token_mask.shape, places, num_filled)

    def joined(self, x: Tensor) -> Tensor:
        """Return the real positions of x (B, T, D), and zeros, (1, N + filled, D)."""
        found = x.new_zeros(1, len(self.places) + self.num_filled, x.shape[-1])
        real = found[0, : len(self.places)]
        torch.index_select(x.reshape(-1, x.shape[-1]), 0, self.places, out=real)
        return found

    def apart(self, x: Tensor) -> Tensor:
        """Return x (1, N + filled, D) as rows again, (B, T, D), zeros where there is padding."""
        found = x.new_zeros(self.shape.numel(), x.shape[-1])
        found.index_copy_(0, self.places, x[0, : len(self.places)])
        return found.view(*self.shape, -1)
