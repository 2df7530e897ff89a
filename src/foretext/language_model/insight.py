"""What a network makes of one text: its states by layer, and which position looks at which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["AttentionMaps", "LayerStates"]


class LayerStates(NamedTuple):
    """The states of a text's positions."""

    tokens: list[str]  # T
    states: NDArray[np.float32]  # (L + 1, T, D): the embeddings, then each layer


class AttentionMaps(NamedTuple):
    """How much each position takes from each."""

    tokens: list[str]  # T
    weights: NDArray[np.float32]  # (L, H, T, T); a row sums to 1
