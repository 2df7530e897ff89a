"""The hypotheses of a beam search: those that go on, and the best ones that have ended.

B texts with K hypotheses each, the best one first, and room for N tokens.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from foretext.generation.constraints import FORBIDDEN

__all__ = ["Ended", "Running"]


class Running(NamedTuple):
    """Hypotheses that may go on."""

    tokens: Tensor  # (B, K, N) int64, new tokens; those that are not there yet are 0
    scores: Tensor  # (B, K) float32, log-probabilities

    @classmethod
    def fresh(cls, num_texts: int, num_new: int, device: torch.device) -> Running:
        """Return one empty hypothesis a text."""
        tokens = torch.zeros(num_texts, 1, num_new, dtype=torch.int64, device=device)
        return cls(tokens, torch.zeros(num_texts, 1, device=device))

    def extended(self, beams: Tensor, new: Tensor, scores: Tensor, step: int) -> Running:
        """Return J continuations a text: hypotheses `beams` and their token at `step`, (B, J)."""
        tokens = _taken(self.tokens, beams)
        tokens[:, :, step] = new
        return Running(tokens, scores)

    def at(self, places: Tensor) -> Running:
        """Return the hypotheses at places (B, J)."""
        return Running(_taken(self.tokens, places), self.scores.gather(1, places))

    def of_texts(self, texts: Tensor) -> Running:
        """Return the hypotheses of some texts."""
        return Running(self.tokens[texts], self.scores[texts])


class Ended(NamedTuple):
    """Hypotheses that have ended."""

    tokens: Tensor  # (B, K, N) int64
    scores: Tensor  # (B, K) float32, normalised by length
    lengths: Tensor  # (B, K) int64, tokens, the end among them; 0: there is none yet

    @classmethod
    def fresh(cls, num_texts: int, num_beams: int, num_new: int, device: torch.device) -> Ended:
        """Return room for K a text."""
        tokens = torch.zeros(num_texts, num_beams, num_new, dtype=torch.int64, device=device)
        scores = torch.full((num_texts, num_beams), FORBIDDEN, device=device)
        return cls(tokens, scores, torch.zeros_like(scores, dtype=torch.int64))

    def merged(self, others: Running, ends: Tensor, length: int, divisor: float) -> Ended:
        """Return the best K of these and of the others, as far as they end.

        Args:
            others: hypotheses of `length` tokens.
            ends: which of them end, (B, J) bool.
            length: tokens, the end among them.
            divisor: of their scores.
        """
        scores = torch.where(ends, others.scores / divisor, 2 * FORBIDDEN)
        scores = torch.cat((self.scores, scores), 1)
        best = scores.argsort(dim=1, descending=True, stable=True)[:, : self.scores.shape[1]]
        tokens = _taken(torch.cat((self.tokens, others.tokens), 1), best)
        lengths = torch.cat((self.lengths, ends * length), 1).gather(1, best)
        return Ended(tokens, scores.gather(1, best), lengths)

    def of_texts(self, texts: Tensor) -> Ended:
        """Return the hypotheses of some texts."""
        return Ended(self.tokens[texts], self.scores[texts], self.lengths[texts])


def _taken(values: Tensor, places: Tensor) -> Tensor:
    """Return values (B, J, N) at places (B, K) of the second dimension."""
    return values.gather(1, places[..., None].expand(-1, -1, values.shape[2]))
