"""Families whose backbone is an encoder and a decoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.backbones.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS, Holds
from foretext.interop.family import Family, Settings
from foretext.interop.transfer import Row
from foretext.objectives.base import Objective
from foretext.objectives.prefix_lm import PrefixLM
from foretext.objectives.span_corruption import SpanCorruption
from foretext.objectives.text_infilling import TextInfilling

__all__ = ["EncoderDecoderFamily"]

OBJECTIVES: tuple[type[Objective], ...] = (SpanCorruption, TextInfilling, PrefixLM)


class EncoderDecoderFamily(Family):
    """An encoder and a decoder of the same width; all of them have the same kinds of heads."""

    backbone: ClassVar[type[Backbone]] = EncoderDecoder
    buffers: ClassVar[Mapping[str, Holds]] = TRANSFORMER_BUFFERS
    others: ClassVar[tuple[type[Objective], ...]] = OBJECTIVES
    decoder = "lm_head.weight"
    decoder_layers: ClassVar[str]  # their key
    copies: ClassVar[tuple[str, ...]]  # other names that files have the first vectors under

    def fits(self, backbone: Backbone, objective: Objective | None = None) -> bool:
        """Whether a model of ours is of these classes, and has one vocabulary."""
        return super().fits(backbone, objective) and not backbone.arguments

    def num_layers(self, config: EncoderDecoderConfig, row: Row) -> int:
        """Return the number of layers of the tower that a row belongs to."""
        of_decoder = row.ours.startswith("decoder.")
        return (config.decoder if of_decoder else config.encoder).num_layers

    def renamed(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return weights without copies of the token vectors; a copy that differs stays."""
        copies = [name for name in map(self.prefix.__add__, self.copies) if name in weights]
        first = weights.get(self.embedding)
        if first is None and copies:  # the file may have them under any of their names
            first = weights[copies[0]]
            if not all(torch.equal(weights[name], first) for name in copies):
                return weights  # two vocabularies
        same = {name for name in copies if first is not None and torch.equal(weights[name], first)}
        others = {name: weight for name, weight in weights.items() if name not in same}
        return others if first is None else {self.embedding: first, **others}

    def further_settings(self, theirs: Settings) -> Settings:
        """Return the number of the decoder's layers, where it is another one."""
        found = theirs.get(self.decoder_layers)
        same = found == self.our_value(theirs, "num_layers")
        return {"num_decoder_layers": None if same else found}

    def further_keys(self, config: EncoderDecoderConfig) -> Settings:
        """Return the number of the decoder's layers, and that there are two towers."""
        return {self.decoder_layers: config.decoder.num_layers, "is_encoder_decoder": True}

    def head_settings(self, theirs: Settings) -> Settings:
        """Return nothing: the head has no settings of its own."""
        return {}

    def head_keys(self, head: Any, config: EncoderDecoderConfig) -> Settings | None:
        """Return nothing; None where the head is one that others have.

        T5 divides states before it, and Marian's has a bias.
        """
        return None if head.scale_states or (head.bias and not self.head_rows) else {}
