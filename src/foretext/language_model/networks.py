"""A network in the number format that suits what it is asked."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from foretext.backbones.base import Backbone
from foretext.generation import Decoder
from foretext.nn.device import Precision, choose_dtype
from foretext.nn.row_linear import for_single_rows, head_for_single_rows
from foretext.nn.vocabulary_head import VocabularyHead
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
    """One network, and copies for certain questions, as long as its weights stay what they are.

    Args:
        network: on its device.
        precision: "auto" takes bfloat16 where it is fast and enough, float32 elsewhere.
    """

    def __init__(self, network: Network, precision: Precision) -> None:
        self.original = network
        self.precision = precision
        self._copies: dict[str, tuple[Any, Any]] = {}  # the weights copied, and the copy

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

    def decoder(self) -> Decoder:
        """Return what reads token by token, by the head of the objective.

        On a CPU the weights are read in bfloat16, unless float32 is asked for; all else is float32.
        """
        original = self.original.eval()
        half = self.precision != "fp32" and original.backbone.embedding.dtype == torch.float32
        if half and self.device.type == "cpu":
            return Decoder(*self._copied("rows", lambda: _for_single_rows(original)))
        network = self.fast()
        return Decoder(network.backbone, _head(network))

    def _in(self, dtype: torch.dtype) -> Network:
        network = self.original.eval()
        if network.backbone.embedding.dtype == dtype:
            return network
        copied: Network = self._copied(str(dtype), lambda: _cast(network, dtype))
        return copied

    def _copied(self, kind: str, make: Callable[[], Any]) -> Any:
        """Return a copy of that kind, made anew where a weight has changed since."""
        weights = [(weight.data_ptr(), weight._version) for weight in self.original.parameters()]
        before, copied = self._copies.get(kind, (None, None))
        if before != weights:
            copied = make()
            self._copies[kind] = weights, copied
        return copied


def _cast(network: Network, dtype: torch.dtype) -> Network:
    """Copy the weights, but not the tokenizer, which the objective knows."""
    tokenizer = getattr(network.objective, "tokenizer", None)
    memo = {} if tokenizer is None else {id(tokenizer): tokenizer}
    return copy.deepcopy(network, memo).eval().requires_grad_(False).to(dtype)


def _for_single_rows(network: Network) -> tuple[Backbone, nn.Module]:
    return for_single_rows(network.backbone), head_for_single_rows(_head(network))


def _head(network: Network) -> VocabularyHead:
    head = getattr(network.objective, "head", None)
    assert isinstance(head, VocabularyHead), network.objective
    return head
