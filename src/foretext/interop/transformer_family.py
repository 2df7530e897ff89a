"""Families whose backbone is one Transformer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.backbones.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import Family, Key, Settings
from foretext.interop.transfer import Row
from foretext.objectives.base import Objective
from foretext.objectives.prefix_lm import PrefixLM
from foretext.objectives.span_corruption import SpanCorruption
from foretext.objectives.text_infilling import TextInfilling

__all__ = ["PLAIN", "EncoderDecoderFamily", "TransformerFamily"]

PLAIN: Mapping[str, Any] = {  # settings of our backbone that most families do not have
    "embedding_dim": None,
    "share_layers": False,
    "head_dim": None,
    "scale_scores": True,
    "global_every": 1,
    "pooler_activation": "tanh",
}

OBJECTIVES: tuple[type[Objective], ...] = (SpanCorruption, TextInfilling, PrefixLM)


class TransformerFamily(Family):
    """One tower of layers; its activation has names of its own there."""

    backbone: ClassVar[type[Backbone]] = Transformer
    buffers = TRANSFORMER_BUFFERS
    activations: ClassVar[Mapping[str, str]]  # their names: ours, the first of equals is written

    def allows(self, config: TransformerConfig) -> bool:
        """Whether a model of this family can have these settings of our backbone."""
        return super().allows(config) and config.activation in self.activations.values()

    def their_value(self, config: TransformerConfig, ours: str) -> Any:
        """Return the value of their key for a setting of our backbone."""
        if ours == "feed_forward_dim":
            return config.hidden_dim
        if ours == "activation":
            return next(name for name, own in self.activations.items() if own == config.activation)
        return super().their_value(config, ours)

    def our_value(self, theirs: Settings, ours: str) -> Any:
        """Return the value of a setting of our backbone that has a key.

        Raises:
            ValueError: with half a sentence, theirs is of a kind that foretext does not have.
        """
        if ours == "activation":
            return self.activation(theirs, self.keys[ours])
        return super().our_value(theirs, ours)

    def activation(self, theirs: Settings, key: Key) -> str:
        """Return our name of an activation.

        Raises:
            ValueError: with half a sentence, foretext does not have it.
        """
        name = self.read(theirs, key)
        if name not in self.activations:
            known = ", ".join(self.activations)
            raise ValueError(f"{key.name} = {name!r} is not supported, only {known} are")
        return self.activations[name]


class EncoderDecoderFamily(TransformerFamily):
    """An encoder and a decoder of the same width; all of them have the same kinds of heads."""

    backbone: ClassVar[type[Backbone]] = EncoderDecoder
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
