"""Embedding of words: vectors, by option with features of characters and of pairs of words.

Pairs of neighbouring words: a vector of a word with the one that follows it. Over Chinese
characters they say more than characters alone (Chen et al. 2015, "Long Short-Term Memory Neural
Networks for Chinese Word Segmentation", 3.3; Zhang & Yang 2018, "Chinese NER Using Lattice LSTM",
3.1). Pairs are hashed to rows of a table, as fastText's word bigrams are, so that a model keeps
no list of them.
"""

from __future__ import annotations

from typing import Literal, Self, cast

import numpy as np
import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.base.config import Config as Settings
from foretext.base.errors import SettingError
from foretext.data.batch import Inputs
from foretext.nn.characters import CharacterCNN, CharacterLSTM
from foretext.nn.dropout import Dropout

__all__ = ["Bigrams", "WordEmbedding"]

FACTOR = 116049371  # of fastText's hash of word n-grams
SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)  # 2**64 divided by the golden ratio, as a signed number


class WordEmbedding(nn.Module):
    """Vectors of words and, where these are read, features of characters and of pairs beside them.

    Args:
        config: the user's settings.
        vocab_size: V, words; id 0 stands for all others.
        num_characters: ids of characters, including 0 for none; 0: no characters are known.

    Raises:
        SettingError: the settings read characters, and none are known.
    """

    class Config(Settings):
        """Shape of the embedding."""

        vector_size: int = Field(100, ge=1)
        """Numbers of a word's vector."""
        num_segments: int = Field(0, ge=0)
        """Kinds of words that a task tells apart, each with a vector of its own; 0: none."""
        dropout: float = Field(0.0, ge=0, lt=1)
        """Dropout of vectors and features."""
        characters: Literal["none", "cnn", "lstm"] = "none"
        """Network that reads the spelling of words."""
        character_dim: int = Field(30, ge=1)
        """Width of a character's vector."""
        character_features: int = Field(50, ge=1)
        """Features of a word from its characters."""
        bigrams: int = Field(0, ge=0)
        """Rows of a hash table of vectors of pairs of neighbouring words; 0: none."""
        bigram_dim: int = Field(30, ge=1)
        """Numbers of a pair's vector."""

        @model_validator(mode="after")
        def _reads_characters(self) -> Self:
            idle = self.changed & {"character_dim", "character_features"}
            if self.characters == "none" and idle:
                raise ValueError(f"{min(idle)} would have no effect with characters = 'none'")
            if not self.bigrams and "bigram_dim" in self.changed:
                raise ValueError("bigram_dim would have no effect with bigrams = 0")
            if self.characters == "lstm" and self.character_features % 2:
                raise ValueError(
                    f"character_features = {self.character_features} must be even, for an LSTM "
                    "gives half of them from each end of a word"
                )
            return self

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__()
        self.vectors = nn.Embedding(vocab_size, config.vector_size)
        bound = (3 / config.vector_size) ** 0.5  # Ma & Hovy 2016, section 3.1
        nn.init.uniform_(self.vectors.weight, -bound, bound)
        self.segments: nn.Embedding | None = None
        if config.num_segments:
            self.segments = nn.Embedding(config.num_segments, config.vector_size)
        self.characters = _reader(config, num_characters)
        self.bigrams: Bigrams | None = None
        if config.bigrams:
            self.bigrams = Bigrams(config.bigrams, config.bigram_dim)
        self.dropout = Dropout(config.dropout)
        features = config.character_features if self.characters is not None else 0
        pairs = config.bigram_dim if config.bigrams else 0
        self.dim = config.vector_size + features + pairs

    def load_vectors(self, vectors: np.ndarray) -> None:
        """Start from word vectors (V, vector_size) that were learned elsewhere.

        Raises:
            SettingError: they are of another size.
        """
        V, size = self.vectors.weight.shape
        if vectors.shape[1] != size:
            raise SettingError(
                f"[backbone] vector_size = {size}: the vectors to start from have "
                f"{vectors.shape[1]} numbers each; set backbone.vector_size = {vectors.shape[1]}."
            )
        assert len(vectors) == V, f"{len(vectors)} vectors for {V} words"
        with torch.no_grad():
            self.vectors.weight.copy_(
                torch.tensor(vectors)
            )  # a copy, as the array may be read-only

    def replace_segments(self, vectors: Tensor) -> None:
        """Replace the vectors of the segments by these, (K, vector_size)."""
        weight = vectors.to(self.vectors.weight)
        self.segments = nn.Embedding(len(weight), weight.shape[1], _weight=weight)

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the embedding of each word, (B, T, D)."""
        x = self.vectors(inputs.ids)
        if self.segments is not None:
            own = inputs.segments
            x = x + (self.segments.weight[0] if own is None else self.segments(own))
        if self.characters is not None:
            assert inputs.characters is not None, "the inputs came without the words' characters"
            x = torch.cat((x, self.characters(inputs.characters)), -1)
        if self.bigrams is not None:
            x = torch.cat((x, self.bigrams(inputs.ids, inputs.token_mask)), -1)
        return cast(Tensor, self.dropout(x))


def _reader(config: WordEmbedding.Config, num_characters: int) -> nn.Module | None:
    if config.characters == "none":
        return None
    if num_characters < 2:
        raise SettingError(
            f"[backbone] characters = '{config.characters}': these examples come without "
            "characters; set backbone.characters = 'none'."
        )
    kind = CharacterCNN if config.characters == "cnn" else CharacterLSTM
    return kind(num_characters, config.character_dim, config.character_features)


class Bigrams(nn.Module):
    """A vector for each pair of a word and the next one; some pairs share theirs.

    Args:
        num_rows: of the table.
        dim: E, numbers of a vector.
    """

    def __init__(self, num_rows: int, dim: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(num_rows, dim)
        bound = (3 / dim) ** 0.5  # as those of words
        nn.init.uniform_(self.vectors.weight, -bound, bound)

    def forward(self, ids: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return the vector of each pair, (B, T, E).

        Args:
            ids: (B, T) int64, of words.
            token_mask: (B, T) bool, True = a real word; None: all are.
        """
        known = ids + 1  # 0: no word, behind the last one of a row
        if token_mask is not None:
            known = known * token_mask
        following = nn.functional.pad(known[:, 1:], (0, 1))
        mixed = known * FACTOR + following
        for _ in range(2):  # one product leaves the lines of pairs on lines of rows
            mixed = mixed * SPREAD
            mixed = mixed ^ (mixed >> 32)
        found: Tensor = self.vectors(mixed % self.vectors.num_embeddings)
        return found
