"""Recurrent networks over word vectors: plain, LSTM or GRU, uni- or bidirectional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, cast

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.word_backbone import WORD_TRAITS, WordBackbone
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import RecurrentCache
from foretext.nn.dropout import Dropout
from foretext.nn.past_attention import PastAttention
from foretext.nn.recurrent import RecurrentKind, RecurrentLayer, row_lengths
from foretext.nn.source_attention import ScoreKind
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["Recurrent"]

BIGRAMS = 1 << 16  # rows of pairs, where rows of a task gain from them


class Recurrent(WordBackbone):
    """Layers that read a text word by word.

    A unidirectional network reads from the left, so its states are causal; it can continue a text.
    With attention its last states look back at those before, and are twice as wide: [h; c].

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, if the settings say that spelling is read.
    """

    class Config(WordEmbedding.Config):
        """Shape of a recurrent network; the defaults are those of Lample et al. 2016, 5.1."""

        kind: RecurrentKind = "lstm"
        """Kind of the recurrent cells."""
        num_layers: int = Field(1, ge=1)
        """Recurrent layers."""
        dim: int = Field(100, ge=1)
        """Width of each direction's state."""
        bidirectional: bool = True
        """Read in both directions."""
        dropout: float = Field(0.5, ge=0, lt=1)
        """Dropout of the words' vectors."""
        layer_dropout: float = Field(0.0, ge=0, lt=1)
        """Dropout of the states between two layers."""
        attention: Literal["none"] | ScoreKind = "none"
        """Score by which a state of the last layer looks back, for [h; c]; none: it does not."""

        @model_validator(mode="after")
        def _has_between(self) -> Recurrent.Config:
            if self.num_layers == 1 and self.layer_dropout:
                raise ValueError("layer_dropout would have no effect with num_layers = 1")
            if self.bigrams and not self.bidirectional:
                raise ValueError(
                    f"bigrams = {self.bigrams} shows the next word, which a network that reads "
                    "from the left (bidirectional = false) may not see"
                )
            if self.attention != "none" and self.bidirectional:
                raise ValueError(
                    f"attention = '{self.attention}' looks at the states before, and a network of "
                    "both directions has none: set bidirectional = false, or pool the states of a "
                    "text with task.pooling = 'attention'"
                )
            return self

    config: Config
    task_traits = replace(WORD_TRAITS, bigram_settings={"bigrams": BIGRAMS})
    is_graph = True
    can_be_shared_out = False  # cells keep lists of their weights

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__(config, vocab_size, num_characters)
        self.num_layers = config.num_layers
        width = config.dim * (2 if config.bidirectional else 1)
        self.attention: PastAttention | None = None
        if config.attention != "none":
            self.attention = PastAttention(config.attention, config.dim)
        self.has_attention = self.attention is not None
        self.dim = 2 * width if self.has_attention else width
        visibility: Visibility = "full" if config.bidirectional else "causal"
        self.visibilities = frozenset({visibility})
        # The past would grow from batch to batch.
        self.carries_state = not config.bidirectional and not self.has_attention
        self.blocks = nn.ModuleList(
            RecurrentLayer(
                config.kind,
                width if layer else self.tokens.dim,
                config.dim,
                bidirectional=config.bidirectional,
            )
            for layer in range(config.num_layers)
        )
        self.dropout = Dropout(config.layer_dropout)

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return what suits recurrent networks: a high rate, small batches, clipped gradients."""
        return {
            "learning_rate": 3e-3,
            "batch_examples": 16,
            "weight_decay": 0.0,
            "clip_norm": 5.0,
        }

    @property
    def num_mixed(self) -> int:
        """How many layers tasks can mix: with attention the last one alone, which is wider."""
        return 1 if self.has_attention else super().num_mixed

    def new_cache(self) -> RecurrentCache | None:
        """Return an empty cache of states; None for a bidirectional network."""
        return None if self.config.bidirectional else RecurrentCache()

    def attention_maps(self, inputs: Inputs) -> tuple[Tensor, ...]:
        """Return the only attention, that of the last layer to its own past, (B, 1, T, T)."""
        if self.attention is None:
            return super().attention_maps(inputs)
        states, _ = self._continued(self.tokens(inputs), ())
        return (self.attention.weights(states[-1], states[-1][:, :0]).unsqueeze(1),)

    def gates(self, inputs: Inputs) -> list[dict[tuple[str, str], Tensor]]:
        """Return, for each layer, how far its gates are open at each position, (B, T, D) each."""
        x, found = self.tokens(inputs), []
        for layer, block in enumerate(self.blocks):
            x = self._between(x, layer)
            found.append(cast(RecurrentLayer, block).gates(x))
            x = block(x)
        return found

    def layer_states(
        self, embedded: Tensor, inputs: Inputs, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return the states of each layer and, unidirectional, those that the rows end in."""
        if self.attention is not None:
            return self._looking_back(self.attention, embedded, carried)
        if not self.config.bidirectional:
            return self._continued(embedded, carried)
        lengths, x, states = row_lengths(inputs.token_mask), embedded, []
        for layer, block in enumerate(self.blocks):
            states.append(block(self._between(x, layer), lengths))
            x = states[-1]
        return states, ()

    def _looking_back(
        self, attention: PastAttention, x: Tensor, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return what `_continued` does, with last states that have looked at `carried[-1]`."""
        states, ends = self._continued(x, carried[:-1])
        last = states[-1]
        past = carried[-1] if carried else last[:, :0]
        return [*states[:-1], attention(last, past)], (*ends, torch.cat((past, last), 1))

    def _continued(
        self, x: Tensor, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        states: list[Tensor] = []
        ends: list[Tensor] = []
        size = len(carried) // self.num_layers  # tensors of a layer
        for layer, block in enumerate(self.blocks):
            start = carried[layer * size : (layer + 1) * size]
            x, end = cast(RecurrentLayer, block).continued(self._between(x, layer), start)
            states.append(x)
            ends.extend(end)
        return states, tuple(ends)

    def _between(self, x: Tensor, layer: int) -> Tensor:
        return self.dropout(x) if layer else x
