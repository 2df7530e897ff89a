"""A network in the number format that suits what it is asked."""

from __future__ import annotations

from typing import cast

import torch
from torch import nn

from foretext.backbones.base import Backbone
from foretext.generation import Decoder
from foretext.nn.copies import Copies
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
        tokenizer = getattr(network.objective, "tokenizer", None)
        self._copies = Copies(network, () if tokenizer is None else (tokenizer,))

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
            return Decoder(*self._copies.made("rows", lambda: _for_single_rows(original)))
        network = self.fast()
        return Decoder(network.backbone, _head(network))

    def _in(self, dtype: torch.dtype) -> Network:
        return cast(Network, self._copies.in_dtype(dtype))


def _for_single_rows(network: Network) -> tuple[Backbone, nn.Module]:
    return for_single_rows(network.backbone), head_for_single_rows(_head(network))


def _head(network: Network) -> VocabularyHead:
    head = getattr(network.objective, "head", None)
    assert isinstance(head, VocabularyHead), network.objective
    return head
