"""The parameters of a CRF, and the real tokens of a batch in one long row, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from foretext.kernels.crf import padded_tags
from foretext.kernels.team import ALONE, Team
from foretext.nn.team import torch_team

__all__ = ["FORBIDDEN", "Chain", "RealTokens", "as_batch", "real_tokens", "team_for"]

FORBIDDEN = -1e30  # score of what never happens; the sum of two is still a number
WORTH_A_TEAM = 1 << 22  # products; from here on the work is shared out to threads


class Chain(NamedTuple):
    """Scores of each tag after each other (C, C), at the start and at the end (C,)."""

    transitions: Tensor
    start: Tensor
    end: Tensor


class RealTokens(NamedTuple):
    """Where the real tokens of a batch are."""

    mask: np.ndarray | None  # (B, T) bool, None: all are real
    starts: np.ndarray  # (B + 1,) int64, sentences in the row of all real tokens
    firsts: np.ndarray  # (B',) int64, first tokens of sentences that have one
    lasts: np.ndarray  # (B',) int64, last ones

    def rows(self, values: Tensor) -> np.ndarray:
        """(B, T, ...) to (N, ...) of the real tokens."""
        array = values.detach().numpy()
        if self.mask is None:
            return array.reshape(-1, *array.shape[2:])
        picked: np.ndarray = array[self.mask]
        return picked

    def scores(self, emissions: Tensor, chain: Chain) -> np.ndarray:
        """(N, C) float64, those of starting and ending included."""
        scores = self.rows(emissions).astype(np.float64)
        scores[self.firsts] += chain.start.detach().numpy()
        scores[self.lasts] += chain.end.detach().numpy()
        return scores


def real_tokens(token_mask: Tensor | None, shape: tuple[int, int]) -> RealTokens:
    """Find the real tokens of a batch of `shape` (B, T)."""
    B, T = shape
    mask = None if token_mask is None or bool(token_mask.all()) else token_mask.numpy()
    lengths = np.full(B, T) if mask is None else mask.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    real = lengths > 0
    return RealTokens(mask, starts, starts[:-1][real], starts[1:][real] - 1)


def team_for(num_tokens: int, num_tags: int) -> Team:
    """Return torch's threads if there is enough work to share out, else one thread."""
    return torch_team() if num_tokens * padded_tags(num_tags) ** 2 >= WORTH_A_TEAM else ALONE


def as_batch(rows: np.ndarray, tokens: RealTokens, like: Tensor) -> Tensor:
    """(N, C) of the real tokens to (B, T, C), zero elsewhere."""
    if tokens.mask is None:
        return torch.from_numpy(rows).to(like.dtype).reshape(like.shape)
    batch = torch.zeros_like(like)
    batch.numpy()[tokens.mask] = rows
    return batch
