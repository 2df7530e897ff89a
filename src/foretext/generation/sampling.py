"""How the next token is drawn from the probabilities of all.

The next token is the most probable one (temperature 0) or drawn: from the k most probable (Fan et
al. 2018), from the smallest set that holds the probability p (Holtzman et al. 2020), or from all.
"""

from __future__ import annotations

import torch
from pydantic import Field, model_validator
from torch import Tensor

from foretext.base.config import Config

__all__ = ["Sampling", "choose", "draw", "probabilities"]


class Sampling(Config):
    """How the next token is chosen."""

    temperature: float = Field(0.8, ge=0)
    """Number that divides the logits; 0: always the most probable token."""
    top_k: int | None = Field(None, ge=1)
    """Number of the most probable tokens to draw from; none: all."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Probability that the most probable tokens to draw from hold together; none: all."""

    @model_validator(mode="after")
    def _has_effect(self) -> Sampling:
        if self.temperature == 0 and (self.top_k is not None or self.top_p is not None):
            raise ValueError(
                "top_k and top_p would have no effect: at temperature 0 the likeliest token is "
                "taken; leave them out, or set a temperature above 0"
            )
        return self


def probabilities(logits: Tensor, sampling: Sampling) -> Tensor:
    """Return the probabilities of the next token, (B, V) float32, of logits (B, V).

    First the temperature applies, then `top_k`, then `top_p` to what is left.
    """
    assert sampling.temperature > 0, "at temperature 0 nothing is drawn"
    logits = logits.float() / sampling.temperature
    if sampling.top_k is not None and sampling.top_k < logits.shape[-1]:
        least = logits.topk(sampling.top_k).values[..., -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    shares = logits.softmax(-1)
    if sampling.top_p is None:
        return shares
    ordered, places = shares.sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered  # of more probable tokens
    ordered = ordered.masked_fill(before >= sampling.top_p, 0.0)
    kept = torch.zeros_like(shares).scatter(-1, places, ordered)
    return kept / kept.sum(-1, keepdim=True)


def choose(logits: Tensor, sampling: Sampling, generator: torch.Generator) -> Tensor:
    """Return the next tokens, (B,) int64, for logits (B, V)."""
    if sampling.temperature == 0:
        return logits.argmax(-1)
    return torch.multinomial(probabilities(logits, sampling), 1, generator=generator)[:, 0]


def draw(logits: Tensor, sampling: Sampling, chance: Tensor) -> Tensor:
    """Return the next tokens, (B,) int64, for logits (B, V) and numbers in [0, 1), (B,) float64.

    A number says which token is taken, when all are put side by side by their probabilities.
    """
    ends = probabilities(logits, sampling).double().cumsum(-1)  # (B, V)
    places = chance[:, None] * ends[:, -1:]
    return torch.searchsorted(ends, places, right=True)[:, 0]
