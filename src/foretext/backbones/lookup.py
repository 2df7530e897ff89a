"""Word vectors without layers: a word has the same state in every context."""

from __future__ import annotations

from pydantic import model_validator
from torch import Tensor

from foretext.backbones.word_backbone import WordBackbone
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import RecurrentCache
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["Lookup"]


class Lookup(WordBackbone):
    """No layers: the vector of a word is its state.

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, if the settings say that spelling is read.
    """

    class Config(WordEmbedding.Config):
        """Shape of a word's vector."""

        @model_validator(mode="after")
        def _reads_single_words(self) -> Lookup.Config:
            if self.bigrams:
                raise ValueError(
                    f"bigrams = {self.bigrams} shows the next word, and here a word has the same "
                    "state in every context; take name = 'lstm' or 'textcnn'"
                )
            return self

    num_layers = 0
    # A word looks at no other, so every mask is honoured.
    visibilities: frozenset[Visibility] = frozenset({"full", "causal", "matrix"})

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__(config, vocab_size, num_characters)
        self.dim = self.tokens.dim

    def new_cache(self) -> RecurrentCache:
        """Return an empty cache: there is nothing to remember."""
        return RecurrentCache()

    def layer_states(
        self, embedded: Tensor, inputs: Inputs, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return none."""
        return [], ()
