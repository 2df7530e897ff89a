"""A network in the number format that suits each use."""

from __future__ import annotations

from typing import cast

import torch
from torch import nn

from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.generation import Decoder
from foretext.nn.precision import ReadingPrecision, choose_dtype
from foretext.nn.quantized_linear import (
    Copies,
    check_int8,
    for_single_rows,
    head_for_single_rows,
    reading_copy,
)
from foretext.nn.token_head import TokenHead
from foretext.objectives.base import Objective
from foretext.objectives.reading import Reading
from foretext.tokenizers.base import Tokenizer

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
    """One network, and copies of it for certain uses, valid until its weights change.

    Args:
        network: on its device.
        tokenizer: of the network; copies share it.
        precision: "auto" takes bfloat16 where it is fast and enough, float32 elsewhere; "int8" is
            the same, but embeds by products of integers.

    Raises:
        SettingError: the device has no such products.
    """

    def __init__(self, network: Network, tokenizer: Tokenizer, precision: ReadingPrecision) -> None:
        self.original = network
        self.use(precision)
        self.num_ids = tokenizer.vocab_size
        self._copies = Copies(network, (tokenizer,))

    def use(self, precision: ReadingPrecision) -> None:
        """Compute in these numbers from now on.

        Raises:
            SettingError: the device has no such products.
        """
        if precision == "int8":
            check_int8(self.device)
        self.precision = precision

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.original.backbone.embedding.device

    @property
    def learned_length(self) -> int:
        """Positions that the training has taught the network to read."""
        backbone, objective = self.original.backbone, self.original.objective
        return backbone.max_length if objective is None else objective.learned_length(backbone)

    def exact(self) -> Network:
        """Return the network for figures that people read: bfloat16 only if the user chose it."""
        return self._in(torch.bfloat16 if self.precision == "bf16" else torch.float32)

    def fast(self) -> Network:
        """Return the network for much work at once."""
        return self._in(choose_dtype(self.precision, self.device))

    def reader(self) -> Network:
        """Return the network for reading many rows, whose linear maps are no `nn.Linear`."""
        dtype = choose_dtype(self.precision, self.device)
        return cast(Network, reading_copy(self._copies, dtype, self.precision))

    def decoder(self, reading: Reading | None = None) -> Decoder:
        """Return what reads token by token, with the head of the objective, as `reading` says.

        On a CPU the weights are read in bfloat16, unless the user chose float32; all else is
        float32.

        Raises:
            SettingError: the backbone cannot continue a text.
        """
        original = self.original.eval()
        if original.backbone.new_cache() is None:
            raise SettingError(
                f"generate needs a backbone that can continue a text, and "
                f"{type(original.backbone).__name__} cannot; pretrain a Transformer."
            )
        half = self.precision != "fp32" and original.backbone.embedding.dtype == torch.float32
        if half and self.device.type == "cpu":
            backbone, head = self._copies.made("rows", lambda: _for_single_rows(original))
        else:
            network = self.fast()
            backbone, head = network.backbone, _head(network)
        readings = (reading or Reading(),)
        return Decoder(backbone, head, readings, self.num_ids, self.learned_length)

    def _in(self, dtype: torch.dtype) -> Network:
        return cast(Network, self._copies.in_dtype(dtype))


def _for_single_rows(network: Network) -> tuple[Backbone, nn.Module]:
    return for_single_rows(network.backbone), head_for_single_rows(_head(network))


def _head(network: Network) -> TokenHead:
    assert network.objective is not None
    assert network.objective.token_head is not None, network.objective
    return network.objective.token_head
