"""Backbones over vectors of words, which may have been learned before as static vectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self, cast

import numpy as np
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.data.batch import Inputs
from foretext.errors import SettingError
from foretext.nn.cache import Cache
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["WordBackbone"]


class WordBackbone(Backbone):
    """What stands for each word, then layers. Padding stands right of a row's words.

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, where the settings say that characters are read.
    """

    config: WordEmbedding.Config
    reads_words: ClassVar[bool] = True

    def __init__(
        self, config: WordEmbedding.Config, vocab_size: int, num_characters: int = 0
    ) -> None:
        super().__init__(config, vocab_size)
        self.num_characters = 0 if config.characters == "none" else num_characters
        self.tokens = WordEmbedding(config, vocab_size, num_characters)

    @classmethod
    def build(cls, config: Any, vocab_size: int, *, num_characters: int = 0) -> Self:
        """Return a randomly initialised backbone."""
        return cls(config, vocab_size, num_characters)

    @property
    def embedding(self) -> nn.Parameter:
        """The word vectors, (V, vector_size)."""
        return cast(nn.Parameter, self.tokens.vectors.weight)

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter; what reads characters is of the embeddings, 0."""
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
        """Compute the states of inputs (B, T).

        Raises:
            SettingError: a cache is given; there are no keys and values to keep.
        """
        if cache is not None:
            raise SettingError(
                f"[backbone] {type(self).__name__} keeps no keys and values: only a Transformer "
                "can go on with a text."
            )
        embedded = self.tokens(inputs)
        layers = (embedded, *self.layer_states(embedded, inputs.token_mask))
        return States(layers[-1], layers if keep_layers else ())

    @abstractmethod
    def layer_states(self, embedded: Tensor, token_mask: Tensor | None) -> list[Tensor]:
        """Return the states of each layer over what stands for the words, (B, T, D)."""
