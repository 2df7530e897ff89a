"""A head on a backbone, which scores its states against right answers, and what it stands on."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from torch import Tensor

from foretext.backbones.base import Backbone, States
from foretext.base.config import Config
from foretext.data.batch import Inputs, Visibility
from foretext.data.framing import Framing
from foretext.nn.pooling import Pooling
from foretext.nn.scalar_mix import ScalarMix
from foretext.nn.token_head import TokenHead
from foretext.nn.vocabulary_head import HeadTransform
from foretext.nn.word_vectors import FixedWordVectors
from foretext.objectives.base import Objective, TaskHeads
from foretext.objectives.criterion import Criterion
from foretext.tokenizers.base import Tokenizer

__all__ = ["Head", "TaskBase", "visibility_of"]


class Head(Criterion):
    """A head on a backbone. The constructor of a class takes (config, base, **found).

    Its settings are a nested class `Config`, with `max_length`, the positions of a row.

    Args:
        config: what the user chose, and what was chosen for him; a folder keeps it.
        base: tokenizer and backbone.
        found: what was found in the rows, such as the labels, as JSON has it; a folder keeps it.

    Attributes:
        group: rows of an example.
        pooling: how the states of a row become one vector; None: each position is answered.
        marks_tokens: whether the backbone reads marks of tokens that only foretext makes.
        sentence_pooling: pooling of vectors that the task compares by cosine; None: it does not.
        normalizes: whether these vectors are given with length 1.
        characters: that words are read by, in the order of their ids; empty: by none.
    """

    name: ClassVar[str]  # of its loss in the log
    writes_texts: ClassVar[bool] = False  # whether it has a `writer`
    group: int = 1
    pooling: Pooling | None = None
    marks_tokens: bool = False
    sentence_pooling: Pooling | None = None
    normalizes: bool = False
    characters: str = ""

    def __init__(self, config: Config, base: TaskBase, **found: Any) -> None:
        super().__init__()
        self.config: Any = config
        self.found = found
        self.visibility = base.visibility
        self.mix: ScalarMix | None = None  # of layers; a head that has one sets it
        self.word_vectors = base.word_vectors

    @property
    def needs_layers(self) -> bool:
        """Whether it reads the states of every layer."""
        return self.mix is not None

    @property
    def writer(self) -> Objective | None:
        """The objective whose head and ids it writes texts with; None: it writes none."""
        return None

    @property
    def layer_weights(self) -> list[float]:
        """How much of each layer it reads, the lowest first; empty: the last layer alone."""
        return [] if self.mix is None else self.mix.weights.tolist()

    def read(self, states: States, inputs: Inputs) -> Tensor:
        """Return what the head stands on, (B, T, D): the states of the last layer, or a mix.

        With word vectors it is [x_k; h_k], (B, T, E + D): each state behind the vector of its word.

        Args:
            states: what the backbone made of the inputs.
            inputs: that it read.
        """
        last: Tensor = states.last
        if self.mix is not None:
            last = self.mix(states.by_layer[-len(self.mix.scores) :])
        return last if self.word_vectors is None else self.word_vectors.beside(last, inputs.ids)

    @abstractmethod
    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return what answers are made of: (examples, ...) or (examples, T, ...), float32.

        Args:
            states: what the backbone made of the inputs.
            inputs: that it read.
        """

    @property
    def for_tasks(self) -> TaskHeads:
        """What another task on the same backbone may start from."""
        return TaskHeads()


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
    # Of the words of the tokenizer, which a head reads beside the states; None: it does not.
    word_vectors: FixedWordVectors | None = None

    @property
    def head_dim(self) -> int:
        """Numbers of a position that a head stands on: those of a state, and of a word's vector."""
        return self.backbone.dim + (0 if self.word_vectors is None else self.word_vectors.dim)

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
