"""Tensors as the flat numpy arrays that kernels take, without a copy."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

__all__ = ["flat_view", "weight_view"]


def flat_view(tensor: Tensor) -> np.ndarray:
    """Return the numbers of a contiguous CPU tensor; bfloat16 as its bits, uint16.

    Writing to one writes to the other.
    """
    return _bits(tensor).numpy().reshape(-1)


def weight_view(weight: Tensor) -> np.ndarray:
    """Return the numbers of a contiguous weight as `flat_view` does, but by DLPack.

    With full sharding a weight is gathered and freed again and again, but PyTorch never frees the
    memory of a tensor that `Tensor.numpy` has seen. DLPack takes some microseconds more.
    """
    return np.from_dlpack(_bits(weight)).reshape(-1)


def _bits(tensor: Tensor) -> Tensor:
    assert tensor.is_contiguous(), f"a view of strides {tensor.stride()} would be a copy"
    return tensor.detach().view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor.detach()
