"""A network over word vectors that reads two texts, such as a question and a passage, together.

It is the document reader of Chen et al. 2017 ("Reading Wikipedia to Answer Open-Domain Questions",
3.2). Each word gets, beside its own vector, a mean of the other text's vectors
(`foretext.nn.other_text`) and a vector that says which text it is of, and whether both have it.
Recurrent layers read that from both sides. In the end a state stands beside its product with a map
of what the first text says in all, so that a linear layer on it is the bilinear one by which that
paper finds starts and ends.

Unlike there, both texts pass through the same layers, the question first, and words have neither
parts of speech nor names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from foretext.backbones.word_backbone import WordBackbone
from foretext.data.batch import Inputs, Visibility
from foretext.nn.dropout import Dropout
from foretext.nn.flops import Flops, matrix_flops, num_passes
from foretext.nn.other_text import OtherText, looks_across, weighted_mean
from foretext.nn.recurrent import RecurrentKind, RecurrentLayer, row_lengths
from foretext.nn.word_embedding import WordEmbedding

__all__ = ["PairReader"]

DEVIATION = 0.5  # standard deviation of the numbers of given vectors
NUM_KINDS = 4  # of words: of the first text, of the second; the same, if both texts have it


class PairReader(WordBackbone):
    """Alignment of two texts, recurrent layers, and a summary of the first text.

    Where a row has one text alone, the alignment is zeros, and the summary is of that text.

    Args:
        config: the user's settings.
        vocab_size: words; id 0 stands for all others.
        num_characters: ids of characters, if the settings say that spelling is read.
    """

    class Config(WordEmbedding.Config):
        """Shape of a reader of pairs."""

        num_segments: int = Field(0, ge=0, le=0)
        """Kinds of words whose vectors are added to those of words; here they stand beside them."""
        segment_dim: int = Field(16, ge=1)
        """Width of the vector of a kind of words: of which text, and whether both have it."""
        kind: RecurrentKind = "lstm"
        """Kind of the recurrent cells."""
        num_layers: int = Field(1, ge=1)
        """Recurrent layers."""
        dim: int = Field(128, ge=1)
        """Width of each direction's state."""
        dropout: float = Field(0.3, ge=0, lt=1)
        """Dropout of the words' vectors."""
        layer_dropout: float = Field(0.3, ge=0, lt=1)
        """Dropout of the states of each layer."""

    config: Config
    visibilities: frozenset[Visibility] = frozenset({"full"})
    reads_pairs = True
    can_be_shared_out = False  # cells keep lists of their weights

    def __init__(self, config: Config, vocab_size: int, num_characters: int = 0) -> None:
        super().__init__(config, vocab_size, num_characters)
        self.num_segments = NUM_KINDS
        self.num_layers = config.num_layers
        self.dim = 4 * config.dim
        self.kinds = nn.Embedding(NUM_KINDS, config.segment_dim)
        self.other_text = OtherText(self.tokens.dim)
        width, states = 2 * self.tokens.dim + config.segment_dim, 2 * config.dim
        self.blocks = nn.ModuleList(
            RecurrentLayer(config.kind, states if layer else width, config.dim, bidirectional=True)
            for layer in range(config.num_layers)
        )
        self.dropout = Dropout(config.layer_dropout)
        self.relevance = nn.Linear(states, 1, bias=False)
        self.summary = nn.Linear(states, states)

    @property
    def num_mixed(self) -> int:
        """The last layer alone: its states have their product with the summary beside them."""
        return 1

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter; what is read beside words is of the first."""
        is_read = parameter_name.startswith(("kinds.", "other_text."))
        return 1 if is_read else super().layer_of(parameter_name)

    @property
    def segmented(self) -> None:
        """Nothing: kinds of words have vectors of their own, which stand beside the words'."""
        return

    def load_vectors(self, vectors: np.ndarray) -> None:
        """Start from word vectors (V, vector_size) that were learned elsewhere, and keep them.

        A few questions teach little of 100,000 words, and to move all of these takes as long as to
        learn the rest. They are scaled to numbers of a size that opens and closes gates.

        Raises:
            SettingError: they are of another size.
        """
        super().load_vectors(vectors * (DEVIATION / max(float(vectors.std()), 1e-12)))
        self.embedding.requires_grad_(False)

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return what suits it: a high rate, falling to zero, and clipped gradients."""
        return {"learning_rate": 2e-3, "beta2": 0.99, "weight_decay": 0.0, "clip_norm": 5.0}

    def flops(self) -> Flops:
        """Return the operations of a training step: of all matrices, and of the alignment."""
        parts = (self.other_text, self.blocks, self.relevance, self.summary)
        per_pair = 4 * num_passes(self.other_text) * self.tokens.dim
        return Flops(sum(map(matrix_flops, parts)), per_pair)

    def layer_states(
        self, embedded: Tensor, inputs: Inputs, carried: tuple[Tensor, ...]
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """Return the states of each layer, the last ones with their products, (B, T, D)."""
        kinds = torch.zeros_like(inputs.ids) if inputs.segments is None else inputs.segments
        is_second = kinds % 2 == 1
        across = looks_across(is_second, inputs.token_mask)
        x = torch.cat((embedded, self.other_text(embedded, across), self.kinds(kinds)), -1)
        lengths, states = row_lengths(inputs.token_mask), []
        for block in self.blocks:
            states.append(self.dropout(block(x, lengths)))
            x = states[-1]
        is_first = ~is_second if inputs.token_mask is None else ~is_second & inputs.token_mask
        scores = self.relevance(x).transpose(1, 2)  # (B, 1, T)
        summary = self.summary(weighted_mean(x, scores, is_first[:, None]))  # (B, 1, 2 dim)
        states[-1] = torch.cat((x, x * summary), -1)
        return states, ()
