"""Backbones over word vectors, which may have been learned before as static ones."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self, cast

import numpy as np
from torch import Tensor, nn

from foretext.backbones.base import Backbone, Segmented, States, TaskTraits
from foretext.data.batch import Inputs
from foretext.nn.cache import Cache, RecurrentCache
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["WORD_TRAITS", "WordBackbone"]

WORD_TRAITS = TaskTraits(spelling_settings={"characters": "cnn"})


class WordBackbone(Backbone):
    """Vectors of words, then layers. Padding stands right of a row's words.

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, if the settings say that spelling is read.
    """

    config: WordEmbedding.Config
    reads_words: ClassVar[bool] = True
    task_traits = WORD_TRAITS

    def __init__(
        self, config: WordEmbedding.Config, vocab_size: int, num_characters: int = 0
    ) -> None:
        super().__init__(config, vocab_size)
        self.num_characters = 0 if config.characters == "none" else num_characters
        self.num_segments = config.num_segments
        self.tokens = WordEmbedding(config, vocab_size, num_characters)

    @classmethod
    def build(
        cls,
        config: Any,
        vocab_size: int,
        *,
        num_characters: int = 0,
        source_vocab_size: int | None = None,
    ) -> Self:
        """Return a randomly initialised backbone."""
        return cls(config, vocab_size, num_characters)

    @property
    def embedding(self) -> nn.Parameter:
        """The word vectors, (V, vector_size)."""
        return cast(nn.Parameter, self.tokens.vectors.weight)

    @property
    def segmented(self) -> Segmented | None:
        """The word vectors, which are added to those of segments."""
        return self.tokens

    @property
    def num_mixed(self) -> int:
        """How many layers tasks can mix: the embeddings too where they are as wide as states."""
        return self.num_layers + (self.tokens.dim == self.dim)

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter; what reads characters belongs to the embeddings, 0."""
        return 0 if parameter_name.startswith("tokens.") else super().layer_of(parameter_name)

    def load_vectors(self, vectors: np.ndarray) -> None:
        """Start from word vectors (V, vector_size) that were learned elsewhere.

        Raises:
            SettingError: they are of another size.
        """
        self.tokens.load_vectors(vectors)

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T)."""
        recurrent = cast(RecurrentCache | None, cache)
        carried = inputs.carried if recurrent is None else recurrent.states
        embedded = self.tokens(inputs)
        states, carried = self.layer_states(embedded, inputs, carried)
        if recurrent is not None:
            recurrent.advance(inputs.ids.shape[1], carried)
        layers = (embedded, *states)
        return States(layers[-1], layers if keep_layers else (), carried)

    @abstractmethod
    def layer_states(
        self, embedded: Tensor, inputs: Inputs, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return the states of each layer, (B, T, D), and what the rows' next words begin with.

        Args:
            embedded: vectors of the words, (B, T, E).
            inputs: that they are of, (B, T).
            carried: what the rows' earlier words left, (B, ...) each; empty at their beginning.
        """
