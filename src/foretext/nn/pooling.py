"""Pooling: one vector of the states of a row's positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = [
    "POOLER_ACTIVATIONS",
    "POOLS",
    "Dense",
    "DenseActivation",
    "Pool",
    "PoolerActivation",
    "Pooling",
    "pool_texts",
    "through_layers",
]

Pooling = Literal["cls", "last", "ends", "mean", "max", "attention"]
PoolerActivation = Literal["tanh", "gelu", "relu"]

POOLER_ACTIVATIONS: dict[PoolerActivation, Callable[[Tensor], Tensor]] = {
    "tanh": torch.tanh,
    "gelu": nn.functional.gelu,
    "relu": torch.relu,
}

DenseActivation = Literal["identity", "tanh", "relu", "gelu", "sigmoid", "silu"]

DENSE_ACTIVATIONS: dict[DenseActivation, Callable[[Tensor], Tensor]] = {
    "identity": nn.Identity(),
    "tanh": torch.tanh,
    "relu": torch.relu,
    "gelu": nn.functional.gelu,
    "sigmoid": torch.sigmoid,
    "silu": nn.functional.silu,
}


class Pool(nn.Module):
    """Makes one vector of the real positions of each row.

    Args:
        pooling: "cls" the first position, "last" the last real one, "ends" the half of the last
            state that was read from the left, and the half of the first that was read from the
            right, "mean" and "max" over all, "attention" a learned weighting of all.
        dim: D.
    """

    def __init__(self, pooling: Pooling, dim: int) -> None:
        super().__init__()
        self.pooling = pooling
        self.attention = Attention(dim) if pooling == "attention" else None

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Pool states (B, T, D) to (B, D); `token_mask` (B, T) bool, None: all are real."""
        if self.attention is not None:
            pooled: Tensor = self.attention(states, token_mask)
            return pooled
        return POOLS[self.pooling](states, token_mask)


class Attention(nn.Module):
    """Weights each position by its similarity to a learned query (Yang et al. 2016, 2.2).

    u_t = tanh(W h_t + b), weight_t ∝ exp(u_t · q).
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.key = nn.Linear(dim, dim)
        self.question = nn.Linear(dim, 1, bias=False)

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Pool states (B, T, D) to (B, D)."""
        scores = self.question(torch.tanh(self.key(states))).squeeze(-1).float()  # (B, T)
        if token_mask is not None:
            scores = scores.masked_fill(~token_mask, -torch.inf)
        weights = scores.softmax(-1).to(states.dtype)
        return torch.einsum("bt,btd->bd", weights, states)


def _mean(states: Tensor, token_mask: Tensor | None) -> Tensor:
    if token_mask is None:
        return states.mean(1, dtype=torch.float32)
    sums = states.masked_fill(~token_mask[..., None], 0.0).sum(1, dtype=torch.float32)
    return sums / token_mask.sum(1, keepdim=True).clamp(min=1)


def _max(states: Tensor, token_mask: Tensor | None) -> Tensor:
    if token_mask is not None:
        states = states.masked_fill(~token_mask[..., None], torch.finfo(states.dtype).min)
    return states.amax(1)


def _first(states: Tensor, token_mask: Tensor | None) -> Tensor:
    return states[:, 0]


def _last(states: Tensor, token_mask: Tensor | None) -> Tensor:
    if token_mask is None:
        return states[:, -1]
    last = token_mask.sum(1).clamp(min=1) - 1  # (B,)
    return states[torch.arange(states.shape[0], device=states.device), last]


def _ends(states: Tensor, token_mask: Tensor | None) -> Tensor:
    half = states.shape[-1] // 2
    return torch.cat([_last(states, token_mask)[:, :half], states[:, 0, half:]], -1)


POOLS: dict[str, Callable[[Tensor, Tensor | None], Tensor]] = {
    "cls": _first,
    "last": _last,
    "ends": _ends,
    "mean": _mean,
    "max": _max,
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


def pool_texts(
    vectors: NDArray[np.float32],
    owners: NDArray[np.int64],
    weights: NDArray[np.int64],
    num_texts: int,
    pooling: str,
) -> NDArray[np.float32]:
    """Return one vector a text, (N, D), of those of its windows, (W, D): zeros without a window.

    Args:
        vectors: of the windows.
        owners: text of each window, (W,), in order.
        weights: tokens of each window, (W,).
        num_texts: N.
        pooling: "max" takes the largest, the others the mean by tokens.
    """
    pooled = np.zeros((num_texts, vectors.shape[1]), np.float32)
    texts, first = np.unique(owners, return_index=True)
    if pooling == "max":
        pooled[texts] = np.maximum.reduceat(vectors, first, axis=0)
    else:
        sums = np.add.reduceat(vectors * weights[:, None].astype(np.float32), first, axis=0)
        pooled[texts] = sums / np.add.reduceat(weights, first)[:, None]
    return pooled
