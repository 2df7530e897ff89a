"""What every backbone is: a batch's inputs become one state per position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from torch import Tensor, nn

from foretext.data.batch import Inputs, Visibility
from foretext.nn.cache import KeyValueCache

__all__ = ["Backbone", "States"]


@dataclass(frozen=True)
class States:
    """What a backbone makes of its inputs."""

    last: Tensor  # (B, T, D)
    layers: tuple[Tensor, ...] = ()  # embeddings, then each layer, (B, T, D); where asked for


class Backbone(nn.Module, ABC):
    """A network from ids to states. It never sees targets, and knows no loss."""

    dim: int  # width of a state
    num_layers: int  # that can be kept beside the embeddings
    vocab_size: int
    max_length: int  # positions a row may have
    visibilities: frozenset[Visibility]  # what it can be asked for

    @property
    @abstractmethod
    def embedding(self) -> nn.Parameter:
        """The token vectors, (V, D), which a head may share."""

    @abstractmethod
    def forward(
        self, inputs: Inputs, *, keep_layers: bool = False, cache: KeyValueCache | None = None
    ) -> States:
        """Compute the states; with a cache, `inputs` go on where it ends."""
