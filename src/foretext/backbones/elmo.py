"""ELMo's network (Peters et al. 2018, 3.1 and 3.4): words by their characters, two stacks of LSTMs.

One stack reads a row from the left, the other from the right, and neither sees the other: in a
bidirectional layer above the first one a state would know the word that it is to predict. The
first half of a state is the left stack's, the second half the right one's.

Where the paper projects the states within the recurrence (LSTMP, Sak et al. 2014), here the
projection stands behind a layer: no fast kernel of a CPU has the other form. And the features of
words and their vectors have layer norms, with which words differ from each other sooner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import torch
import torch.nn.functional as F
from pydantic import Field, PositiveInt, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States, TaskTraits
from foretext.base.config import Config as Settings
from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import Cache
from foretext.nn.characters import CharacterWords
from foretext.nn.dropout import Dropout
from foretext.nn.recurrent import Reader, row_lengths
from foretext.tokenizers.alphabet import NUM_BYTES, spelled

__all__ = ["Elmo"]


class Elmo(Backbone):
    """Vectors of words from the bytes that spell them, then layers in both directions.

    A word of the vocabulary is spelled as `spell` took it, any other as `Inputs.spelling` says.

    Args:
        config: the user's settings.
        vocab_size: V, words whose spelling is known before a text is read.
    """

    class Config(Settings):
        """Shape of the network; the paper has 4096 cells, 512 numbers and 2048 features."""

        num_layers: int = Field(2, ge=1)
        """Layers of each direction."""
        dim: int = Field(256, ge=1)
        """Width of each direction's states, and of a word's vector."""
        cell_dim: int | None = Field(None, ge=1)
        """Cells of each LSTM, whose states are projected to dim; none: dim, and no projection."""
        residual: bool = True
        """Add the states of a layer to those of the layer above."""
        character_dim: int = Field(16, ge=1)
        """Width of a character's vector."""
        widths: list[PositiveInt] = Field([1, 2, 3, 4, 5, 6], min_length=1)
        """Characters of a window, for each width of convolution."""
        features: list[PositiveInt] = Field([25, 50, 75, 100, 125, 150], min_length=1)
        """Features of each width, as in Kim et al. 2016."""
        word_norms: bool = True
        """Layer norms of words' features and vectors, which the paper does not have."""
        num_highways: int = Field(2, ge=0)
        """Highway layers over the features."""
        dropout: float = Field(0.1, ge=0, lt=1)
        """Dropout of what each layer reads."""

        @model_validator(mode="after")
        def _has_features_for_widths(self) -> Elmo.Config:
            if len(self.widths) != len(self.features):
                raise ValueError(
                    f"features names {len(self.features)} numbers, and widths {len(self.widths)}: "
                    "each width has a number of features"
                )
            if len(set(self.widths)) < len(self.widths):
                raise ValueError(f"widths = {self.widths} names one twice; raise its features")
            return self

    config: Config
    visibilities: frozenset[Visibility] = frozenset({"split"})
    open_vocabulary: ClassVar[bool] = True
    can_be_shared_out = False  # cells keep lists of their weights
    # Heads have dropout of their own.
    task_traits = TaskTraits(feature_based=True, default_dropout=0.0)
    spellings: Tensor

    def __init__(self, config: Config, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.num_layers, self.dim = config.num_layers, 2 * config.dim
        self.words = CharacterWords(
            NUM_BYTES,
            config.character_dim,
            dict(zip(config.widths, config.features, strict=True)),
            config.num_highways,
            config.dim,
            normed=config.word_norms,
        )
        self.blocks = nn.ModuleList(SplitLayer(config) for _ in range(config.num_layers))
        self.dropout = Dropout(config.dropout)
        self.register_buffer("spellings", torch.zeros(0, 1, dtype=torch.uint8), persistent=False)

    @property
    def embedding(self) -> nn.Parameter:
        """The vectors of bytes, (256, character_dim): there are none of words."""
        return cast(nn.Parameter, self.words.vectors.weight)

    def spell(self, tokens: Sequence[str]) -> None:
        """Take the V words of the vocabulary."""
        self.spellings = torch.from_numpy(spelled(tokens)).to(self.spellings.device)  # (V, K)

    def reinitialised(self) -> Self:
        """Return one of the same shape and vocabulary with random weights."""
        made = super().reinitialised()
        made.spellings = self.spellings
        return made

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter; what reads characters belongs to the embeddings, 0."""
        return 0 if parameter_name.startswith("words.") else super().layer_of(parameter_name)

    def fine_tuning_defaults(self, *, pretrained: bool) -> Mapping[str, Any]:
        """Return what suits recurrent networks, and heads on them."""
        return {"learning_rate": 1e-3, "weight_decay": 0.0, "clip_norm": 5.0}

    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: Cache | None = None
    ) -> States:
        """Compute the states of inputs (B, T); those of layer 0 are the words' vectors, twice."""
        x = self._vectors(inputs)  # (B, T, D / 2)
        order = _reversal(inputs)
        layers = [[x, _taken(x, order)]]
        for layer, block in enumerate(self.blocks):
            before = layers[-1]
            read = [self.dropout(states) for states in before]
            made = cast(SplitLayer, block)(*read)
            layers.append(self._raised(made, before, layer))
        kept = layers if keep_layers else layers[-1:]
        states = [torch.cat((left, _taken(right, order)), -1) for left, right in kept]
        return States(states[-1], tuple(states) if keep_layers else ())

    def gates(self, inputs: Inputs) -> list[dict[tuple[str, str], Tensor]]:
        """Return, for each layer, how far its gates are open at each position, (B, T, cells)."""
        x = self._vectors(inputs)
        before, found = [x, x.flip(1)], []
        for layer, block in enumerate(self.blocks):
            found.append(cast(SplitLayer, block).gates(*before))
            made = cast(SplitLayer, block)(*before)
            before = self._raised(made, before, layer)
        return found

    def _raised(self, made: Sequence[Tensor], before: Sequence[Tensor], layer: int) -> list[Tensor]:
        """Return the states of a layer, with those below added where the layer is residual."""
        if not layer or not self.config.residual:
            return list(made)
        return [new + old for new, old in zip(made, before, strict=True)]

    def _vectors(self, inputs: Inputs) -> Tensor:
        """Return the vector of each word, (B, T, D / 2); each different word is read once."""
        ids, places = torch.unique(inputs.ids, return_inverse=True)  # (N,), (B, T)
        return F.embedding(places, self.words(self._spelled(ids, inputs.spelling)))

    def _spelled(self, ids: Tensor, spelling: Tensor | None) -> Tensor:
        """Return the bytes of words (N,) of increasing ids, (N, K), as wide as the longest."""
        V = len(self.spellings)
        known = ids[ids < V]
        rows = [self.spellings[known]]
        if spelling is not None:
            rows.append(spelling[ids[len(known) :] - V])
        words = torch.cat(rows).int()
        assert len(words) == len(ids), "ids beyond the vocabulary need a spelling, see `spell`"
        return words[:, : int((words != 0).sum(1).max())]


class SplitLayer(nn.Module):
    """An LSTM for each direction, with a projection of its states or without."""

    def __init__(self, config: Elmo.Config) -> None:
        super().__init__()
        cells = config.cell_dim or config.dim
        self.rightward = Reader("lstm", config.dim, cells)
        self.leftward = Reader("lstm", config.dim, cells)
        projects = config.cell_dim is not None
        self.projections = nn.ModuleList(
            nn.Linear(cells, config.dim, bias=False) if projects else nn.Identity()
            for _ in range(2)
        )

    def forward(self, left: Tensor, right: Tensor) -> list[Tensor]:
        """Read both directions, (B, T, dim) each, in the order in which they are read."""
        states = self.rightward(left)[0], self.leftward(right)[0]
        pairs = zip(self.projections, states, strict=True)
        return [projection(state) for projection, state in pairs]

    def gates(self, left: Tensor, right: Tensor) -> dict[tuple[str, str], Tensor]:
        """Return the gates of both directions, (B, T, cells) each, in the order of the text."""
        found = {("left", name): gate for name, gate in self.rightward.gates(left).items()}
        for name, gate in self.leftward.gates(right).items():
            found["right", name] = gate.flip(1)
        return found


def _reversal(inputs: Inputs) -> Tensor | None:
    """Return positions (B, T) that reverse the real ones of each row; None: all are real.

    Taken twice, the order is as before.
    """
    lengths = row_lengths(inputs.token_mask)
    if lengths is None:
        return None
    positions = torch.arange(inputs.ids.shape[1], device=inputs.ids.device)
    mirrored = lengths[:, None] - 1 - positions
    return torch.where(mirrored >= 0, mirrored, positions)


def _taken(x: Tensor, order: Tensor | None) -> Tensor:
    """Return (B, T, D) in another order of positions (B, T), or backwards."""
    if order is None:
        return x.flip(1)
    return x.gather(1, order.unsqueeze(-1).expand(-1, -1, x.shape[2]))
