"""Recurrent networks over word vectors: plain, LSTM or GRU, uni- or bidirectional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.word_backbone import WORD_TRAITS, WordBackbone
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import RecurrentCache
from foretext.nn.dropout import Dropout
from foretext.nn.recurrent import RecurrentKind, RecurrentLayer, row_lengths
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["Recurrent"]

BIGRAMS = 1 << 16  # rows of pairs, where rows of a task gain from them


class Recurrent(WordBackbone):
    """Layers that read a text word by word.

    A unidirectional network reads from the left, so its states are causal; it can continue a text.


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

        @model_validator(mode="after")
        def _has_between(self) -> Recurrent.Config:
            if self.num_layers == 1 and self.layer_dropout:
                raise ValueError("layer_dropout would have no effect with num_layers = 1")
            if self.bigrams and not self.bidirectional:
                raise ValueError(
                    f"bigrams = {self.bigrams} shows the next word, which a network that reads "
                    "from the left (bidirectional = false) may not see"
                )
            return self

    config: Config
    task_traits = replace(WORD_TRAITS, bigram_settings={"bigrams": BIGRAMS})
    can_be_shared_out = False  # cells keep lists of their weights

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__(config, vocab_size, num_characters)
        self.num_layers = config.num_layers
        self.dim = config.dim * (2 if config.bidirectional else 1)
        visibility: Visibility = "full" if config.bidirectional else "causal"
        self.visibilities = frozenset({visibility})
        self.carries_state = not config.bidirectional
        self.blocks = nn.ModuleList(
            RecurrentLayer(
                config.kind,
                self.dim if layer else self.tokens.dim,
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

    def new_cache(self) -> RecurrentCache | None:
        """Return an empty cache of states; None for a bidirectional network."""
        return None if self.config.bidirectional else RecurrentCache()

    def layer_states(
        self, embedded: Tensor, inputs: Inputs, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return the states of each layer and, unidirectional, those that the rows end in."""
        if not self.config.bidirectional:
            return self._continued(embedded, carried)
        lengths, x, states = row_lengths(inputs.token_mask), embedded, []
        for layer, block in enumerate(self.blocks):
            states.append(block(self._between(x, layer), lengths))
            x = states[-1]
        return states, ()

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
