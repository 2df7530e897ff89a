"""How an index is made: the settings that a person chooses."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from foretext.base.config import Config
from foretext.search.embedder import EmbeddingModel
from foretext.search.folder import EmbeddingOptions, IndexFacts
from foretext.vectors.storage import StorageType

__all__ = ["IndexConfig"]

USUAL_WORDS = 200  # of a passage, where a model reads texts of any length
MOST_TOKENS = 256  # of a passage by default: one vector says little of a longer one


class IndexConfig(Config):
    """Passages, vectors and how they are searched."""

    length: int | None = Field(default=None, ge=1)
    """Tokens or words of a passage, at most; none: what the model reads, 256 or 200 at most."""
    overlap: int = Field(default=0, ge=0)
    """Tokens or words that a passage may share with the one before it, in whole sentences."""
    keep_duplicates: bool = False
    """Give each place of a repeated text a passage of its own, not one passage all its places."""
    dtype: StorageType = "float32"
    """Type of the stored numbers: float16 takes half of the bytes, int8 a quarter."""
    weighting: Literal["mean", "sif", "idf"] | None = None
    """Word vectors: how words are weighed in the mean; none: idf, by their rarity in passages."""
    pooling: Literal["mean", "cls", "max"] | None = None
    """Language models: how positions become one vector; none: as the model does."""
    layers: tuple[int, ...] | None = None
    """Language models: whose states are averaged, -1 is the last layer; none: the last one."""
    approximate: bool | None = None
    """Build a graph of neighbours with usearch; none: for 100,000 passages, if it is installed."""
    keep_model: bool = True
    """Keep a copy of the model in the index, so that it can be searched by itself."""

    def passage_length(self, model: EmbeddingModel) -> int:
        """Return how long a passage may be, in the tokens or words of the model."""
        return self.length or min(model.text_room or USUAL_WORDS, MOST_TOKENS)

    def options(self, model: EmbeddingModel) -> EmbeddingOptions:
        """Return how the model embeds."""
        weighting = self.weighting or ("idf" if model.weighs_words else None)
        return EmbeddingOptions(weighting=weighting, pooling=self.pooling, layers=self.layers)

    @classmethod
    def of(cls, facts: IndexFacts) -> IndexConfig:
        """Return the settings of an index that grows."""
        options = facts.model.options
        return cls(
            length=facts.length,
            overlap=facts.overlap,
            keep_duplicates=facts.keep_duplicates,
            dtype=facts.dtype,
            weighting=options.weighting,
            pooling=options.pooling,
            layers=options.layers,
            keep_model=facts.model.kept is not None,
        )
