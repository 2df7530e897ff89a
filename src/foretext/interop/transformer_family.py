"""Families whose backbone is one Transformer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from foretext.backbones.base import Backbone
from foretext.backbones.transformer import Transformer
from foretext.backbones.transformer_config import TransformerConfig
from foretext.interop.buffers import TRANSFORMER_BUFFERS
from foretext.interop.family import Family, Key, Settings

__all__ = ["PLAIN", "TransformerFamily"]

PLAIN: Mapping[str, Any] = {  # settings of our backbone that most families do not have
    "embedding_dim": None,
    "share_layers": False,
    "head_dim": None,
    "scale_scores": True,
    "global_every": 1,
    "pooler_activation": "tanh",
}


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
