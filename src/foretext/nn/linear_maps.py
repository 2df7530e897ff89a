"""Copies of a network whose linear maps compute in another way; all other weights are shared."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TypeVar

from torch import Tensor, nn

__all__ = ["with_linear_maps"]

M = TypeVar("M", bound=nn.Module)


def with_linear_maps(network: M, make: Callable[[Tensor, Tensor | None], nn.Module]) -> M:
    """Return the network, in evaluation mode, with its `nn.Linear` layers replaced.

    Args:
        network: stays as it is.
        make: returns the layer for a weight (N, K) and a bias (N,) or None.
    """
    shared = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    replaced = copy.deepcopy(network, shared)
    made: dict[tuple[int, ...], nn.Module] = {}  # of layers that share their weights
    for module in list(replaced.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Linear):
                key = id(child.weight), id(child.bias)
                if key not in made:
                    made[key] = make(child.weight, child.bias)
                setattr(module, name, made[key])
    return replaced.eval()
