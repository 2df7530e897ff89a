"""What reads texts for a task: a tokenizer, and the network that makes states of its ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.data.batch import Visibility
from foretext.data.framing import Framing
from foretext.nn.pooling import Pooling
from foretext.nn.token_head import TokenHead
from foretext.nn.vocabulary_head import HeadTransform
from foretext.objectives.base import Objective
from foretext.tokenizers.base import Tokenizer

__all__ = ["TaskBase", "visibility_of"]


class TaskBase(NamedTuple):
    """A tokenizer and a backbone, pretrained or randomly initialised."""

    tokenizer: Tokenizer
    backbone: Backbone
    visibility: Visibility  # that the backbone was trained with, or is to be
    vocabulary_head: TokenHead | None = None  # of its objective, where it had one
    pooler: Mapping[str, Tensor] | None = None  # weights of next-sentence prediction's first layer
    transform: HeadTransform | None = None  # that a masked language model had before its vocabulary
    # Of a sentence encoder: how it makes the one vector of a text that is compared by cosine.
    sentence_pooling: Pooling | None = None
    # Of what a text becomes, where it has a vocabulary of its own; None: one is for both.
    target_tokenizer: Tokenizer | None = None
    # That it was pretrained with, which knows how texts are read and written; None: there is none.
    objective: Objective | None = None
    # Whether it has learned from pairs of a source and a target.
    knows_pairs: bool = False
    # That its backbone knows words by, in the order of their ids; empty: it has learned of none.
    characters: str = ""

    @property
    def num_parameters(self) -> int:
        """Number of weights of the backbone."""
        return sum(weight.numel() for weight in self.backbone.parameters())

    @property
    def pad(self) -> int:
        """The id that fills rows up."""
        return self.tokenizer.pad

    def reads_pairs(self, max_length: int) -> bool:
        """Whether two texts can stand in one row: by a token between them, or without one."""
        return self.backbone.reads_pairs or bool(self.framing(max_length).between)

    def reader(self) -> Tokenizer:
        """Return what encodes some texts, whose rows keep its `spelling`.

        Where the backbone reads words by their spelling, unknown words have ids of their own.
        """
        return self.tokenizer.opened() if self.backbone.open_vocabulary else self.tokenizer

    def framing(self, max_length: int) -> Framing:
        """Return what stands around texts in rows of at most `max_length` positions."""
        length = min(max_length, self.backbone.max_length)
        return Framing.of(self.tokenizer, self.visibility, length)

    def encoder(self) -> TaskBase:
        """Return what is read of it: of an encoder-decoder the encoder alone."""
        backbone = self.backbone.for_tasks
        if backbone is self.backbone:
            return self._replace(objective=None)
        return TaskBase(self.tokenizer, backbone, visibility_of(backbone))


def visibility_of(backbone: Backbone) -> Visibility:
    """Return how a backbone without an objective is read: from both sides, if it can be."""
    usual: tuple[Visibility, ...] = ("full", "causal", "split")
    return next(each for each in usual if each in backbone.visibilities)
