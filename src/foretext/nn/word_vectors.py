"""Vectors of words that a head reads beside the states of a network (Peters et al. 2018, 3.3)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["FixedWordVectors"]


class FixedWordVectors(nn.Module):
    """The pretrained vector x_k of each word, by its id; it is not trained further.

    Words may share a vector, such as forms of a word that differ in their case.

    Args:
        vectors: (N, E), of which the first one is 0.
        rows: (V,) the row of `vectors` for each id; 0: the id has no vector.
    """

    rows: Tensor

    def __init__(self, vectors: Tensor, rows: Tensor) -> None:
        super().__init__()
        self.vectors = nn.Parameter(vectors, requires_grad=False)
        self.register_buffer("rows", rows)

    @classmethod
    def empty(cls, num: int, dim: int, vocab_size: int) -> FixedWordVectors:
        """Return room for N vectors and V ids, which are filled in later."""
        return cls(torch.empty(num, dim), torch.zeros(vocab_size, dtype=torch.int64))

    @property
    def dim(self) -> int:
        """E, the numbers of a vector."""
        return self.vectors.shape[1]

    @property
    def is_whole(self) -> bool:
        """Whether the row of every id exists."""
        return bool(((self.rows >= 0) & (self.rows < len(self.vectors))).all())

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vectors of ids (B, T), (B, T, E)."""
        return F.embedding(self._rows_of(ids), self.vectors)

    def knows(self, ids: Tensor) -> Tensor:
        """Return which ids have a vector, bool, of the shape of the ids."""
        return self._rows_of(ids) > 0

    def _rows_of(self, ids: Tensor) -> Tensor:
        """Return the rows of ids; ids from V on are words of a text outside the vocabulary."""
        V = len(self.rows)
        return self.rows[ids.clamp(max=V - 1)] * (ids < V)

    def beside(self, states: Tensor, ids: Tensor) -> Tensor:
        """Return [x_k; h_k], (B, T, E + D), of states h (B, T, D) and their ids (B, T)."""
        return torch.cat((self(ids[:, : states.shape[1]]).to(states.dtype), states), -1)
