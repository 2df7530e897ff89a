"""Convolutions of several widths over word vectors (Kim 2014).

Kim's classifier takes the largest value of each feature over a text; here the task's pooling does
that. There is one window a word; Kim's windows also begin before the first word and end after the
last.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from pydantic import Field, PositiveInt, model_validator
from torch import Tensor, nn

from foretext.backbones.word_backbone import WordBackbone
from foretext.data.batch import Inputs, Visibility
from foretext.nn.convolution import Convolution
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["TextCNN"]


class TextCNN(WordBackbone):
    """One layer: rectified features of the windows around each word.

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, if the settings say that spelling is read.
    """

    class Config(WordEmbedding.Config):
        """Shape of a TextCNN; the defaults are Kim's."""

        widths: list[PositiveInt] = Field([3, 4, 5], min_length=1)
        """Words of a window, for each width of convolution."""
        num_maps: int = Field(100, ge=1)
        """Features of each width."""

        @model_validator(mode="after")
        def _has_different_widths(self) -> TextCNN.Config:
            if len(set(self.widths)) < len(self.widths):
                raise ValueError(f"widths = {self.widths} names one twice; raise num_maps instead")
            return self

    num_layers = 1
    is_graph = True
    visibilities: frozenset[Visibility] = frozenset({"full"})

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__(config, vocab_size, num_characters)
        self.dim = len(config.widths) * config.num_maps
        self.convolutions = nn.ModuleList(
            Convolution(self.tokens.dim, config.num_maps, width) for width in config.widths
        )

    def layer_states(
        self, embedded: Tensor, inputs: Inputs, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return the maps of all widths side by side, (B, T, D)."""
        if inputs.token_mask is not None:
            embedded = embedded.masked_fill(~inputs.token_mask.unsqueeze(-1), 0)
        maps = [convolution(embedded) for convolution in self.convolutions]
        return [F.relu(torch.cat(maps, -1))], ()
