"""The settings of a classifier of frozen vectors, `[embeddings]`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from foretext.base.config import Config

__all__ = ["EmbeddingsConfig"]


class EmbeddingsConfig(Config):
    """What vectors of texts are made of, and the regressions on them."""

    words: bool = True
    """Read the words of a text, too, by TF-IDF as the linear classifier does."""
    weighting: Literal["sif", "mean"] | None = None
    """How word vectors are averaged; none: by smooth inverse frequency where counts are known."""
    a: float = Field(default=1e-3, gt=0)
    """Of sif: a word weighs a / (a + its share of all words)."""
    remove_component: bool = True
    """Of sif: take out the direction that is common to the texts of the training."""
    layer: int | tuple[int, ...] | None = None
    """Language models: whose states are averaged, -1 is the last layer; none: as the model does."""
    inverse_penalty: float | None = Field(default=None, gt=0)
    """Inverse strength of the L2 penalty on features of length 1; none: by cross-validation."""
    folds: int = Field(default=5, ge=2)
    """Parts that the rows are cut into to choose penalties and the weights of views."""
    semi_supervised: bool = True
    """Learn from unlabelled texts, too: self-training, and naive Bayes with EM."""
    seed: int = Field(default=0, ge=0)
    """Of how the rows are cut."""
