"""Word vectors alone: every word has the same state wherever it stands."""

from __future__ import annotations

from torch import Tensor

from foretext.backbones.word_backbone import WordBackbone
from foretext.data.batch import Visibility
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["Lookup"]


class Lookup(WordBackbone):
    """No layers: what stands for a word is its state.

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, where the settings say that characters are read.
    """

    class Config(WordEmbedding.Config):
        """Shape of what stands for a word."""

    num_layers = 0
    visibilities: frozenset[Visibility] = frozenset(
        {"full", "causal", "matrix"}
    )  # it looks at none

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__(config, vocab_size, num_characters)
        self.dim = self.tokens.dim

    def layer_states(self, embedded: Tensor, token_mask: Tensor | None) -> list[Tensor]:
        """Return none."""
        return []
