"""Tensors as the flat numpy arrays that kernels take, without a copy."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

__all__ = ["flat_view"]


def flat_view(tensor: Tensor) -> np.ndarray:
    """Return the numbers of a contiguous CPU tensor; bfloat16 as its bits, uint16.

    Writing to one writes to the other.
    """
    assert tensor.is_contiguous(), f"a view of strides {tensor.stride()} would be a copy"
    bits = tensor.detach().view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor.detach()
    return bits.numpy().reshape(-1)
