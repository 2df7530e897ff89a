"""Layers that follow pooling in a sentence encoder: a linear map and an activation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = ["DENSE_ACTIVATIONS", "Dense", "DenseActivation", "through_layers"]

DenseActivation = Literal["identity", "tanh", "relu", "gelu", "sigmoid", "silu"]

DENSE_ACTIVATIONS: dict[DenseActivation, Callable[[Tensor], Tensor]] = {
    "identity": nn.Identity(),
    "tanh": torch.tanh,
    "relu": torch.relu,
    "gelu": nn.functional.gelu,
    "sigmoid": torch.sigmoid,
    "silu": nn.functional.silu,
}


class Dense(nn.Module):
    """A linear map of vectors (N, D) to (N, E), and an activation.

    Args:
        weight: (E, D) float32.
        bias: (E,) float32, or None.
        activation: after the map.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, activation: DenseActivation) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)
        self.bias = None if bias is None else nn.Parameter(bias)
        self.activation: DenseActivation = activation

    def forward(self, vectors: Tensor) -> Tensor:
        """Map (N, D) to (N, E)."""
        return DENSE_ACTIVATIONS[self.activation](
            nn.functional.linear(vectors, self.weight, self.bias)
        )


@torch.no_grad()
def through_layers(layers: Sequence[Dense], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the layers make of vectors (N, D), (N, E); zeros stay zeros, as of no text."""
    if not layers:
        return vectors
    found = torch.from_numpy(vectors)
    for layer in layers:
        found = layer(found)
    found[~torch.from_numpy(vectors.any(1))] = 0
    return found.numpy()
