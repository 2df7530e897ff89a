"""What an objective may ask of the language model that it trains, to show how far it is.

`foretext.language_model.LanguageModel` is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.backbones.base import Backbone
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["ModelInUse"]


class Answer(Protocol):
    """A token for a masked position."""

    @property
    def token(self) -> str:
        """As the vocabulary writes it."""

    @property
    def probability(self) -> float:
        """Of all tokens."""


class Written(Protocol):
    """What was generated."""

    @property
    def text(self) -> str:
        """Without the prompt."""


class ModelInUse(Protocol):
    """A tokenizer, a backbone and an objective, with the verbs of a language model."""

    tokenizer: SubwordTokenizer
    backbone: Backbone

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, (N, D)."""

    def fill(self, text: str, topn: int = 5) -> Sequence[Sequence[Answer]]:
        """Return the likeliest tokens of each ``[MASK]``."""

    def generate(
        self, prompt: str = "", max_new_tokens: int = 50, *, source: str | None = None
    ) -> Sequence[Written]:
        """Continue a prompt, or write a text after a source."""
