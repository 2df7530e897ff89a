"""A network in the number format that suits what it is asked."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn

from foretext.backbones.base import Backbone
from foretext.nn.device import Precision, choose_dtype
from foretext.objectives.base import Objective

__all__ = ["Network", "Networks"]


class Network(nn.Module):
    """A backbone and the objective whose heads belong to it, if there is one."""

    backbone: Backbone
    objective: Objective | None

    def __init__(self, backbone: Backbone, objective: Objective | None) -> None:
        super().__init__()
        self.backbone = backbone
        self.objective = objective


class Networks:
    """One network, and a copy in bfloat16 for as long as its weights stay what they are.

    Args:
        network: on its device.
        precision: "auto" takes bfloat16 where it is fast and enough, float32 elsewhere.
    """

    def __init__(self, network: Network, precision: Precision) -> None:
        self.original = network
        self.precision = precision
        self._copy: Network | None = None
        self._copied: tuple[Any, ...] = ()

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.original.backbone.embedding.device

    def exact(self) -> Network:
        """Return the network for questions whose answer is a figure: bfloat16 only if asked for."""
        return self._in(torch.bfloat16 if self.precision == "bf16" else torch.float32)

    def fast(self) -> Network:
        """Return the network for much work at once."""
        return self._in(choose_dtype(self.precision, self.device))

    def _in(self, dtype: torch.dtype) -> Network:
        if self.original.backbone.embedding.dtype == dtype:
            return self.original.eval()
        weights = tuple(weight for weight in self.original.parameters())
        state = (dtype, *((weight.data_ptr(), weight._version) for weight in weights))
        if self._copy is None or self._copied != state:
            self._copy, self._copied = _copied(self.original, dtype), state
        return self._copy


def _copied(network: Network, dtype: torch.dtype) -> Network:
    """Copy the weights, but not the tokenizer, which the objective knows."""
    tokenizer = getattr(network.objective, "tokenizer", None)
    memo = {} if tokenizer is None else {id(tokenizer): tokenizer}
    return copy.deepcopy(network, memo).eval().requires_grad_(False).to(dtype)
