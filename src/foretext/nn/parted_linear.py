"""Linear maps of which some outputs can be asked for without the others.

The last layer of a network whose first position alone is wanted needs keys and values of all
positions, and one query.
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["FixedLinear", "PartedLinear"]


class PartedLinear(nn.Linear):
    """A linear map that is trained."""

    def part(self, x: Tensor, outputs: slice) -> Tensor:
        """Map (..., K) to some of the N outputs."""
        bias = None if self.bias is None else self.bias[outputs]
        return F.linear(x, self.weight[outputs], bias)


class FixedLinear(nn.Module):
    """A linear map whose weights are laid out for a library once; not to be trained.

    Args:
        weight: (N, K).
        bias: (N,) or None.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.weight, self.bias = weight.detach(), None if bias is None else bias.detach()
        self._parts: dict[tuple[int | None, int | None], nn.Module] = {}

    def part(self, x: Tensor, outputs: slice) -> Tensor:
        """Map (..., K) to some of the N outputs, which are laid out when first asked for."""
        key = outputs.start, outputs.stop
        if key not in self._parts:
            bias = None if self.bias is None else self.bias[outputs]
            self._parts[key] = type(self)(self.weight[outputs], bias)
        found: Tensor = self._parts[key](x)
        return found
