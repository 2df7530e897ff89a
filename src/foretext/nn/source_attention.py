"""Attention of one head from a recurrent decoder to its source, as its inventors scored it.

Each state of the decoder is scored against each state of the source, and a softmax over the source
makes weights of the scores. Scores of a state h and a state m of the source:

    additive   v · tanh(W h + U m)   (Bahdanau et al. 2015, A.1.2)
    general    h · W m               (Luong et al. 2015, 3.1)
    dot        h · m                 (the same)
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from foretext.nn.additive_scores import additive_scores
from foretext.nn.attention_mask import AttentionMask

__all__ = ["ScoreKind", "SourceAttention"]

ScoreKind = Literal["additive", "general", "dot"]


class SourceAttention(nn.Module):
    """How much each state of a decoder takes from each state of a source.

    Args:
        kind: of the scores; "dot" needs `memory_dim` = `dim`.
        dim: width of the decoder's states, D.
        memory_dim: width of the source's states, M.
        hidden_dim: width within additive scores, A.
    """

    def __init__(self, kind: ScoreKind, dim: int, memory_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.kind = kind
        additive = kind == "additive"
        self.query = nn.Linear(dim, hidden_dim, bias=False) if additive else nn.Identity()
        width = hidden_dim if additive else dim
        self.key = nn.Identity() if kind == "dot" else nn.Linear(memory_dim, width, bias=False)
        self.vector = nn.Parameter(torch.empty(hidden_dim)) if additive else None
        if self.vector is not None:
            nn.init.uniform_(self.vector, -(hidden_dim**-0.5), hidden_dim**-0.5)

    def keys(self, memory: Tensor) -> Tensor:
        """Return what states are scored against, (B, S, A) or (B, S, D), of memory (B, S, M)."""
        keys: Tensor = self.key(memory)
        return keys

    def forward(self, states: Tensor, keys: Tensor, mask: AttentionMask) -> Tensor:
        """Return the weights (B, T, S), float32, of the states (B, T, D); rows sum to 1.

        Args:
            states: of the decoder.
            keys: from `keys`.
            mask: from `source_mask`.
        """
        if self.vector is None:
            scores = (states @ keys.transpose(1, 2)).float()
        else:
            scores = additive_scores(self.query(states), keys, self.vector).float()
        if mask.visible is not None:
            scores = scores.masked_fill(~mask.visible[:, 0], torch.finfo(torch.float32).min)
        return scores.softmax(-1)
