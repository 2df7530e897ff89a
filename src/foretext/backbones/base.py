"""What every backbone is: a batch's inputs become one state per position.

A backbone from outside the package needs a nested `Config`, a constructor `(config, vocab_size)`
that passes both on to `super().__init__`, `dim`, `num_layers`, `visibilities`, `embedding` and
`forward`; to generate text `new_cache` as well. Everything else here has a default, and is how the
rest of foretext asks what a backbone can do: nothing asks for its class.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import torch
from torch import Tensor, nn

from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs, Visibility
from foretext.data.padded_examples import length_batches, token_batches
from foretext.nn.cache import Cache
from foretext.nn.feed_forward import Activation
from foretext.nn.flops import Flops
from foretext.nn.pooling import PoolerActivation, Pooling
from foretext.nn.vocabulary_head import HeadTransform

__all__ = ["Backbone", "Segmented", "States", "TaskTraits", "inference_batches", "layer_of_block"]


@dataclass(frozen=True)
class States:
    """What a backbone makes of its inputs."""

    last: Tensor  # (B, T, D)
    layers: tuple[Tensor, ...] = ()  # embeddings, then each layer, (B, T, D); with `keep_layers`
    # (B, ...) each: the state that each row ends in, where a batch that continues the rows can
    # begin with it (`Inputs.carried`)
    carried: tuple[Tensor, ...] = ()

    @property
    def by_layer(self) -> tuple[Tensor, ...]:
        """The embeddings, then each layer; the last one as heads read it, with its norm."""
        return (*self.layers[:-1], self.last)


@dataclass(frozen=True)
class TaskTraits:
    """What tasks do with the states of a backbone where the user leaves it open."""

    feature_based: bool = False  # pretrained, it stays as it is, and heads read all of its layers
    adds_pooler: bool = False  # pooling `pooler_on` ends with a linear layer, as BERT's does
    pooler_on: Pooling = "cls"
    pooler_activation: PoolerActivation = "tanh"  # of that layer
    adds_head_transform: bool = False  # if bidirectional, tasks add `head_transform`, as ModernBERT
    gains_from_crf: bool = True  # tagging: whether states know little of each other
    seeks_sentinels: bool = False  # pretrained, its cross-attention looks for sentinels
    default_dropout: float | None = None  # of fine-tuning; None: what its settings say
    tunes_layer_decay: bool = False  # whether a search of settings tries it, once pretrained
    # Settings of a new one with which it reads the spelling of words, and pairs of neighbours.
    spelling_settings: Mapping[str, Any] = field(default_factory=dict)
    bigram_settings: Mapping[str, Any] = field(default_factory=dict)


class Segmented(Protocol):
    """A part that adds to each token the vector of its segment."""

    segments: nn.Embedding | None

    def replace_segments(self, vectors: Tensor) -> None:
        """Replace the vectors by these, (K, E), which are learned from now on."""


class Backbone(nn.Module, ABC):
    """A network from ids to states. It never sees targets, and knows no loss.

    Layers that stand in a `ModuleList` named `blocks` need no `layer_of` and no
    `matrices_for_muon`: the defaults find them there.

    Args:
        config: the user's settings, of the nested class `Config`.
        vocab_size: V, ids.
    """

    config: Config
    vocab_size: int
    dim: int  # width of a state
    visibilities: frozenset[Visibility]  # attention masks that it can honour
    task_traits: TaskTraits = TaskTraits()

    num_layers: int = 1  # without the embeddings
    reads_source: bool = False  # whether it needs `Inputs.source`, as an encoder-decoder does
    keeps_fp32: bool = False  # whether it cannot compute in bfloat16
    stacks_layers: bool = False  # whether `use_layers` works
    # Whether several processes can keep a part of each weight: those of `blocks` are then gathered
    # for the forward pass of one block at a time.
    can_be_shared_out: bool = True
    max_length: int = 1 << 16  # positions that a row may have
    usual_length: int = 128  # of a row in pretraining, where the user chooses none

    carries_state: bool = False  # whether it leaves `States.carried`, which a batch may begin with

    has_attention: bool = False  # whether `attention_maps` works
    is_graph: ClassVar[bool] = False  # whether its `forward` can be exported to other programs
    unpads: ClassVar[bool] = False  # whether padding costs little where it infers on a CPU

    # What it reads beside ids.
    reads_words: ClassVar[bool] = False  # ids are whole words; may start from word vectors
    num_characters: int = 0  # ids of characters in `Inputs.characters`; 0: it reads no spelling
    open_vocabulary: ClassVar[bool] = False  # reads words that it has no id for: `Inputs.spelling`
    num_segments: int = 0  # values of `Inputs.segments`; 0: it ignores them
    reads_pairs: ClassVar[bool] = False  # tells two texts of a row apart without a token between

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__()
        self.config = config
        self.vocab_size = vocab_size

    @classmethod
    def build(
        cls,
        config: Any,
        vocab_size: int,
        *,
        num_characters: int = 0,
        source_vocab_size: int | None = None,
    ) -> Self:
        """Return a randomly initialised backbone.

        Args:
            config: of the class `Config`.
            vocab_size: V, ids.
            num_characters: ids of characters, for those that read the spelling of words.
            source_vocab_size: ids of the source, for those that read one; None: the same ids.
        """
        return cls(config, vocab_size)

    def reinitialised(self) -> Self:
        """Return one of the same shape with random weights."""
        found = {"num_characters": self.num_characters, **self.arguments}
        return self.build(self.config, self.vocab_size, **found)

    def spell(self, tokens: Sequence[str]) -> None:
        """Take how the V tokens are spelled, before anything is computed, if it reads that."""
        return

    def narrower(self, rate: float, num_layers: int | None = None) -> Backbone:
        """Return one with random weights that reads the same inputs in less time.

        ELECTRA's generator is one. Its token vectors have the shape of these, (V, E). A kind of
        backbone that has no such form gives one of its own shape.

        Args:
            rate: of this one's width.
            num_layers: of the result; None: as many as this one has.
        """
        return self.reinitialised()

    def student(self, num_layers: int, dim: int | None = None) -> Backbone:
        """Return a smaller one of the same form, for distillation.

        As wide as this one it starts from its embeddings and some of its layers.

        Args:
            num_layers: of the result.
            dim: width of its states; None: as wide as this one.

        Raises:
            SettingError: there is no smaller one of this form.
        """
        raise SettingError(
            f"[backbone] {type(self).__name__} has no smaller form to distil it into; take a "
            "Transformer, or distil into static vectors."
        )

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Further arguments of `build`, as JSON has them: folders keep them beside the settings."""
        return {}

    @property
    @abstractmethod
    def embedding(self) -> nn.Parameter:
        """The token vectors, (V, E), which a head may share where E is `dim`."""

    @abstractmethod
    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states.

        Args:
            inputs: B rows of T positions; with a cache, those that follow what it has read.
            keep_layers: whether to return the states of every layer.
            cache: from `new_cache`; it reads the inputs. Rows are then not padded.
        """

    def new_cache(self) -> Cache | None:
        """Return an empty cache; None: it cannot continue a text, so nothing is generated."""
        return None

    @property
    def for_tasks(self) -> Backbone:
        """The network that tasks read rows with; of an encoder-decoder it is the encoder.

        It shares the weights. A task that writes texts reads the whole.
        """
        return self

    def encode(self, source: Inputs) -> Tensor:
        """Return the states of a source text, (B, S, D), which `Inputs.memory` can hold.

        Raises:
            SettingError: it reads no source.
        """
        raise SettingError(
            f"[backbone] {type(self).__name__} reads no source text; use an encoder-decoder."
        )

    @property
    def continues_texts(self) -> bool:
        """Whether it can generate text: it looks to the left only, and remembers what it read."""
        remembers = self.new_cache() is not None
        return "causal" in self.visibilities and remembers and not self.reads_characters

    def pair_bytes(self, itemsize: int) -> int:
        """Return what training holds for each pair of positions of a row, in all heads and layers.

        Args:
            itemsize: bytes of a number that it computes in.
        """
        return 0

    @property
    def has_cross_attention(self) -> bool:
        """Whether `cross_attention_maps` works."""
        return self.reads_source

    @property
    def depth(self) -> int:
        """How many layers compute for a row, those of all its parts."""
        return self.num_layers

    @property
    def num_mixed(self) -> int:
        """How many of `States.by_layer`, from the last one, have the width D: tasks can mix them.

        The embeddings among them, unless they are narrower or wider.
        """
        return self.num_layers + 1

    @property
    def reads_characters(self) -> bool:
        """Whether inputs must come with the words' characters."""
        return self.num_characters > 0

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, 1 = the first layer, and so on.

        What follows the last layer belongs to it. Used to freeze layers and by `layer_decay`.
        """
        is_embedding = self.get_parameter(parameter_name) is self.embedding
        return 0 if is_embedding else layer_of_block(parameter_name, self.num_layers)

    def use_layers(self, num: int) -> None:
        """From now on compute the first `num` layers alone, if it `stacks_layers`.

        The heads read what these give.
        """
        raise NotImplementedError(type(self).__name__)

    def stacked_weights(self, num: int) -> dict[str, str]:
        """Return the names of weights above the first `num` layers, and of those they begin with.

        Layer i takes over from layer i - num (Gong et al. 2019, "Efficient Training of BERT by
        Progressively Stacking"). A weight that the lower layer does not have is not named.
        """
        names = {name for name, _ in self.named_parameters()}
        found = dict[str, str]()
        for name in names:
            match = re.match(r"blocks\.(\d+)(\..+)", name)
            if match and int(match[1]) >= num:
                source = f"blocks.{int(match[1]) - num}{match[2]}"
                if source in names:
                    found[name] = source
        return found

    def matrices_for_muon(self) -> dict[str, int]:
        """Return the names of the weights that Muon moves, and how many matrices share each.

        A weight that computes queries, keys and values at once holds 3 matrices.
        """
        linear = (name for name, module in self.named_modules() if isinstance(module, nn.Linear))
        return {f"{name}.weight": 1 for name in linear if name.startswith("blocks.")}

    def flops(self) -> Flops | None:
        """Return the operations of a training step, with the parameters frozen that are so now.

        None: no formula is known, and no utilization is reported.
        """
        return None

    def recompute_layers(self) -> None:
        """From now on compute layers again in the backward pass, to save memory.

        Raises:
            SettingError: it cannot do so.
        """
        raise SettingError(
            f"[training] gradient_checkpointing: {type(self).__name__} cannot compute its layers "
            "again; leave it out."
        )

    def attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, the attention weights, (B, H, T, T).

        Raises:
            SettingError: it has no attention.
        """
        raise SettingError(f"{type(self).__name__} has no attention to be looked at.")

    def gates(self, inputs: Inputs) -> list[dict[tuple[str, str], Tensor]]:
        """Return, for each layer, how far its gates are open, 0 to 1; []: it shows none.

        Args:
            inputs: (B, T), without padding.

        Returns:
            (B, T, D) by the side that the reader begins at, "left" or "right", and the gate's name.
        """
        return []

    def cross_attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return, for each layer, how much each position takes from each of the source's.

        Args:
            inputs: of T positions, with a source of S positions.

        Returns:
            Weights (B, H, T, S) a layer; rows sum to 1.

        Raises:
            SettingError: it reads no source.
        """
        raise SettingError(
            f"{type(self).__name__} reads no source text, so no attention to one can be looked at."
        )

    def load_vectors(self, vectors: np.ndarray) -> None:
        """Start from word vectors (V, E) that were learned elsewhere.

        Raises:
            SettingError: it cannot, or they are of another size.
        """
        raise SettingError(f"[backbone] {type(self).__name__} cannot start from word vectors.")

    @property
    def segmented(self) -> Segmented | None:
        """The part that adds vectors of segments, or could; None: it reads no segments."""
        return None

    @property
    def takes_segments(self) -> bool:
        """Whether `replace_segments` works."""
        return self.segmented is not None

    @property
    def segment_vectors(self) -> Tensor | None:
        """The vectors of the segments, (num_segments, E); None: it has none."""
        segments = None if self.segmented is None else self.segmented.segments
        return None if segments is None else segments.weight

    def replace_segments(self, vectors: Tensor) -> None:
        """Replace the vectors of the segments by these, (K, E), which are learned from now on.

        Raises:
            SettingError: it reads no segments.
        """
        if self.segmented is None:
            raise SettingError(
                f"[backbone] {type(self).__name__} reads no segments, so it cannot tell kinds of "
                "tokens apart; use a Transformer."
            )
        self.segmented.replace_segments(vectors)
        self.num_segments = len(vectors)
        self.config = self.config.model_copy(update={"num_segments": len(vectors)})

    def default_pooling(
        self, visibility: Visibility, *, has_pooler: bool, siamese: bool = False
    ) -> Pooling:
        """Return how tasks make one vector of a row's states where the user leaves it open.

        Args:
            visibility: that the backbone is read with.
            has_pooler: whether pretraining has learned a pooler on the first position.
            siamese: whether vectors of two texts are compared.
        """
        return "max"

    def initialise_head(self, layer: nn.Linear) -> None:
        """Draw the weights of a task's layer on the states; its bias becomes zero.

        Glorot's range (Ma & Hovy 2016, 3.1): with the small weights of BERT a head on small states
        would learn slowly.
        """
        nn.init.xavier_uniform_(layer.weight)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)

    def head_transform(self, activation: Activation) -> HeadTransform:
        """Return a linear map, activation and norm to stand between states and a task's last layer.

        Raises:
            SettingError: its states get none.
        """
        raise SettingError(f"[task] transform = '{activation}' is for Transformers; leave it out.")

    def redraw_cross_attention(self) -> None:
        """Give cross-attention random weights, as before pretraining.

        Raises:
            SettingError: there is none.
        """
        raise SettingError(
            f"[task] redraw_cross_attention: {type(self).__name__} has no cross-attention that was "
            "pretrained; leave it out."
        )

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return the settings of `[training]` that suit it, where fine-tuning's differ."""
        return {"learning_rate": 1e-3, "weight_decay": 0.0}

    @staticmethod
    def settings_for_rows(config: Any, row_length: int) -> Mapping[str, Any]:
        """Return the settings that a planner changes when rows get `row_length` positions.

        Args:
            config: of the backbone.
            row_length: positions of a row.
        """
        return {}


def layer_of_block(parameter_name: str, num_layers: int) -> int:
    """Return the layer of a parameter of `blocks`; what is of none belongs to the last layer."""
    match = re.match(r"blocks\.(\d+)\.", parameter_name)
    return int(match[1]) + 1 if match else max(num_layers, 1)


def inference_batches(
    backbone: Backbone, lengths: Sequence[int], batch_tokens: Mapping[str, int]
) -> list[list[int]]:
    """Return the indices of the rows of each batch, the longest rows first.

    Args:
        backbone: that reads them.
        lengths: of the rows.
        batch_tokens: of a batch, at most, by the type of a device; others have as many as a CPU.
    """
    device = backbone.embedding.device.type
    most = batch_tokens.get(device, batch_tokens["cpu"])
    if device == "cpu" and backbone.unpads:
        return token_batches(lengths, most, torch.get_num_threads())
    return length_batches(lengths, most)
