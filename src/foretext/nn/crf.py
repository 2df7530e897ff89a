"""Conditional random field over the tags of a sentence (Lafferty et al. 2001).

A path of tags has the score of its tags, of its steps from tag to tag, and of its two ends;
P(path) is the exponential of its score divided by the sum over all paths. What a tagging scheme
forbids has probability zero, in training and in decoding.

C: tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from foretext.kernels.crf import expectations
from foretext.kernels.viterbi import best_paths
from foretext.metrics.tag_schemes import Scheme, is_allowed
from foretext.nn.chain import FORBIDDEN, Chain, as_batch, real_tokens, team_for
from foretext.nn.chain_loss import negative_log_likelihood
from foretext.nn.path_sums import log_partition

__all__ = ["CRF"]

INIT_RANGE = 0.1


class CRF(nn.Module):
    """Scores of transitions between tags; losses, best paths and marginals of sentences.

    Args:
        num_tags: C.
        tags: their names, when a scheme says which may follow which.
        scheme: of the names; None: any tag may follow any other.
    """

    allowed: Tensor  # (C, C) bool
    allowed_start: Tensor  # (C,)
    allowed_end: Tensor

    def __init__(
        self, num_tags: int, tags: Sequence[str] = (), scheme: Scheme | None = None
    ) -> None:
        super().__init__()
        self.num_tags = num_tags
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.start = nn.Parameter(torch.empty(num_tags))
        self.end = nn.Parameter(torch.empty(num_tags))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -INIT_RANGE, INIT_RANGE)
        allowed, start, end = _allowed(num_tags, tags, scheme)
        self.register_buffer("allowed", allowed, persistent=False)
        self.register_buffer("allowed_start", start, persistent=False)
        self.register_buffer("allowed_end", end, persistent=False)
        self.is_constrained = scheme is not None

    def loss(self, emissions: Tensor, tags: Tensor, token_mask: Tensor | None = None) -> Tensor:
        """Return -log P(tags), (), summed over the sentences.

        Args:
            emissions: (B, T, C) score of each tag at each token; bfloat16 is widened.
            tags: (B, T) int64; any number where the token is not real.
            token_mask: (B, T) bool, True = a real token, None: all are. Tokens that are not real
                may stand anywhere; the sentence is what is left without them.

        Raises:
            ValueError: on a CPU, the tags of a sentence are forbidden by the scheme.
        """
        loss = negative_log_likelihood(_widened(emissions), self._chain(), tags, token_mask)
        if self.is_constrained and loss.device.type == "cpu" and loss.item() > -FORBIDDEN / 2:
            raise ValueError("the scheme forbids the tags of a sentence: convert them beforehand")
        return loss

    @torch.no_grad()
    def decode(self, emissions: Tensor, token_mask: Tensor | None = None) -> list[list[int]]:
        """Return the most probable tags of each sentence, as many as it has real tokens."""
        emissions, chain, mask = self._on_cpu(emissions, token_mask)
        tokens = real_tokens(mask, (emissions.shape[0], emissions.shape[1]))
        scores = tokens.scores(emissions, chain)
        team = team_for(*scores.shape)
        paths = best_paths(scores, _as_float64(chain.transitions), tokens.starts, team=team)
        tags, starts = paths.tolist(), tokens.starts.tolist()
        return [tags[first:last] for first, last in pairwise(starts)]

    @torch.no_grad()
    def marginals(self, emissions: Tensor, token_mask: Tensor | None = None) -> Tensor:
        """Return (B, T, C), P(tag of the token) over all paths; zero where tokens are not real."""
        device = emissions.device
        emissions, chain, mask = self._on_cpu(emissions, token_mask)
        tokens = real_tokens(mask, (emissions.shape[0], emissions.shape[1]))
        scores = tokens.scores(emissions, chain)
        transitions = _as_float64(chain.transitions)
        found = expectations(scores, transitions, tokens.starts, team=team_for(*scores.shape))
        if not np.isfinite(found.log_partition):
            return _slow_marginals(emissions, chain, mask).to(device)
        assert found.tags is not None
        return as_batch(found.tags, tokens, emissions).to(device)

    def _chain(self) -> Chain:
        """Return the scores; those of forbidden transitions are far below all others."""
        chain = Chain(_widened(self.transitions), _widened(self.start), _widened(self.end))
        if not self.is_constrained:
            return chain
        return Chain(
            chain.transitions.masked_fill(~self.allowed, FORBIDDEN),
            chain.start.masked_fill(~self.allowed_start, FORBIDDEN),
            chain.end.masked_fill(~self.allowed_end, FORBIDDEN),
        )

    def _on_cpu(
        self, emissions: Tensor, token_mask: Tensor | None
    ) -> tuple[Tensor, Chain, Tensor | None]:
        chain = Chain(*(scores.cpu() for scores in self._chain()))
        return _widened(emissions).cpu(), chain, None if token_mask is None else token_mask.cpu()


def _allowed(
    num_tags: int, tags: Sequence[str], scheme: Scheme | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return which tag may follow which (C, C), start (C,) and end (C,) a sentence."""
    if scheme is None:
        everything = torch.ones(num_tags, num_tags, dtype=torch.bool)
        return everything, everything[0].clone(), everything[0].clone()
    assert len(tags) == num_tags, f"{len(tags)} names for {num_tags} tags"
    return (
        torch.tensor([[is_allowed(a, b, scheme) for b in tags] for a in tags]),
        torch.tensor([is_allowed(None, tag, scheme) for tag in tags]),
        torch.tensor([is_allowed(tag, None, scheme) for tag in tags]),
    )


def _slow_marginals(emissions: Tensor, chain: Chain, token_mask: Tensor | None) -> Tensor:
    """Marginals as the gradient of the log partition."""
    with torch.enable_grad():
        emissions = emissions.detach().double().requires_grad_()
        total = log_partition(emissions, chain, token_mask).sum()
        return torch.autograd.grad(total, emissions)[0].float()


def _widened(scores: Tensor) -> Tensor:
    return scores if scores.dtype == torch.float64 else scores.float()


def _as_float64(values: Tensor) -> np.ndarray:
    return values.detach().numpy().astype(np.float64)
