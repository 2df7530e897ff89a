"""Conditional random field over the tags of a sentence (Lafferty et al. 2001).

A path of tags has the score of its tags, of its steps from tag to tag, and of its two ends;
P(path) is the exponential of its score divided by the sum over all paths. What a tagging scheme
forbids has probability zero, in training and in decoding.

C: tags.

The likelihood of a sequence of tags: on a CPU by a kernel, elsewhere by torch. The kernel
computes the gradients in the same pass, and reads real tokens only. Where its weights underflow,
torch's own operations, which add up logarithms, take over.

Scores of paths of tags in torch's own operations, on every device, one token after another.
Nothing underflows here, as logarithms are added up; the kernel `foretext.kernels.crf` is tested
against it. Tokens that are not real may stand anywhere: the real ones are moved to the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from foretext.kernels.crf import expectations, padded_tags
from foretext.kernels.team import ALONE, Team
from foretext.kernels.viterbi import best_paths
from foretext.metrics.tag_schemes import Scheme, is_allowed
from foretext.nn.team import has_kernels, torch_team

__all__ = [
    "CRF",
    "Chain",
    "RealTokens",
    "ScoredPath",
    "log_partition",
    "negative_log_likelihood",
    "path_score",
    "real_tokens",
]

INIT_RANGE = 0.1

FORBIDDEN = -1e30  # score of what never happens; the sum of two is still a number
TOKEN_BYTES = 32  # of a tag at a token: scores, weights and states in float64, and their gradient
STEP_BYTES = 155  # of a step from tag to tag: one table for each portion of the sentences, and sums
WORTH_A_TEAM = 1 << 22  # products; from here on the work is shared out to threads


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

    def table_bytes(self, num_tokens: int) -> int:
        """Return what best paths and loss of so many tokens take on a CPU, about."""
        return self.num_tags * (TOKEN_BYTES * num_tokens + STEP_BYTES * self.num_tags)

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
        team = _team_for(*scores.shape)
        paths = best_paths(scores, _as_float64(chain.transitions), tokens.starts, team=team)
        tags, starts = paths.tolist(), tokens.starts.tolist()
        return [tags[first:last] for first, last in pairwise(starts)]

    @torch.no_grad()
    def best_log_probabilities(self, emissions: Tensor, token_mask: Tensor | None = None) -> Tensor:
        """Return log P (B,) of the most probable tags of each sentence, 0 without real tokens."""
        emissions, chain, mask = self._on_cpu(emissions, token_mask)
        tags = torch.zeros(emissions.shape[:2], dtype=torch.int64)
        real = torch.ones_like(tags, dtype=torch.bool) if mask is None else mask
        best = self.decode(emissions, mask)
        tags[real] = torch.tensor([tag for path in best for tag in path], dtype=torch.int64)
        return path_score(emissions, chain, tags, mask) - log_partition(emissions, chain, mask)

    @torch.no_grad()
    def marginals(self, emissions: Tensor, token_mask: Tensor | None = None) -> Tensor:
        """Return (B, T, C), P(tag of the token) over all paths; zero where tokens are not real."""
        device = emissions.device
        emissions, chain, mask = self._on_cpu(emissions, token_mask)
        tokens = real_tokens(mask, (emissions.shape[0], emissions.shape[1]))
        scores = tokens.scores(emissions, chain)
        transitions = _as_float64(chain.transitions)
        found = expectations(scores, transitions, tokens.starts, team=_team_for(*scores.shape))
        if not np.isfinite(found.log_partition):
            return _slow_marginals(emissions, chain, mask).to(device)
        assert found.tags is not None
        return _as_batch(found.tags, tokens, emissions).to(device)

    @torch.no_grad()
    def likeliest_paths(self, emissions: Tensor, num: int) -> list[ScoredPath]:
        """Return the `num` most probable paths of one sentence (T, C), the best first.

        Fewer come back where there are fewer paths, or the scheme forbids the others.
        """
        emissions, chain, _ = self._on_cpu(emissions[None], None)
        total = float(log_partition(emissions.double(), chain.doubled(), None)[0])
        found = _highest_paths(emissions[0].double(), chain.doubled(), num)
        return [
            ScoredPath(path, score, score - total) for path, score in found if score > FORBIDDEN / 2
        ]

    @property
    def scores(self) -> Chain:
        """Scores of steps and ends as they are used, with NaN for what the scheme forbids."""
        own = Chain(*(each.detach().float().cpu() for each in self._chain()))
        return Chain(*(each.masked_fill(each <= FORBIDDEN / 2, torch.nan) for each in own))

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


class Chain(NamedTuple):
    """Scores of each tag after each other (C, C), at the start and at the end (C,)."""

    transitions: Tensor
    start: Tensor
    end: Tensor

    def doubled(self) -> Chain:
        """Return the scores in float64."""
        return Chain(*(each.detach().double() for each in self))


class ScoredPath(NamedTuple):
    """The tags of a sentence, by their numbers."""

    tags: list[int]  # T
    score: float  # the sum of emissions, steps and ends
    log_probability: float  # among all paths


def _highest_paths(emissions: Tensor, chain: Chain, num: int) -> list[tuple[list[int], float]]:
    """Return the paths with the highest scores: Viterbi with `num` best ways to each tag."""
    C = emissions.shape[1]
    best = (chain.start + emissions[0])[None]  # (K, C) of the K best ways to each tag
    origins = []  # of each token but the first: which way the K best ways to each tag go on from
    for scores in emissions[1:]:
        ways = (best[:, :, None] + chain.transitions).flatten(0, 1)  # (K C, C)
        best, origin = ways.topk(min(num, len(ways)), dim=0)
        best = best + scores
        origins.append(origin)
    highest = (best + chain.end).flatten()
    scores, ways = highest.topk(min(num, len(highest)))
    found = []
    for score, way in zip(scores.tolist(), ways.tolist(), strict=True):
        tags = [way % C]
        for origin in reversed(origins):
            way = int(origin.flatten()[way])
            tags.append(way % C)
        found.append((tags[::-1], score))
    return found


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


def _team_for(num_tokens: int, num_tags: int) -> Team:
    """Return torch's threads if there is enough work to share out, else one thread."""
    return torch_team() if num_tokens * padded_tags(num_tags) ** 2 >= WORTH_A_TEAM else ALONE


def _as_batch(rows: np.ndarray, tokens: RealTokens, like: Tensor) -> Tensor:
    """(N, C) of the real tokens to (B, T, C), zero elsewhere."""
    if tokens.mask is None:
        return torch.from_numpy(rows).to(like.dtype).reshape(like.shape)
    batch = torch.zeros_like(like)
    batch.numpy()[tokens.mask] = rows
    return batch


def negative_log_likelihood(
    emissions: Tensor, chain: Chain, tags: Tensor, token_mask: Tensor | None
) -> Tensor:
    """Return -log P(tags), (), summed over the sentences of a batch.

    Args:
        emissions: (B, T, C) float32 or float64.
        tags: (B, T) int64; those of tokens that are not real are ignored.
        token_mask: (B, T) bool, True = a real token; None: all are.
    """
    if has_kernels(emissions):
        learns = torch.is_grad_enabled() and any(x.requires_grad for x in (emissions, *chain))
        loss: Tensor = _apply(emissions, *chain, tags, token_mask, learns)
        if bool(torch.isfinite(loss)):
            return loss
    total = log_partition(emissions, chain, token_mask)  # (B,)
    return (total - path_score(emissions, chain, tags, token_mask)).sum()


class _ChainLoss(torch.autograd.Function):
    """Forward computes the gradients as well; backward multiplies them by the incoming one."""

    @staticmethod
    def forward(
        ctx: Any,
        emissions: Tensor,
        transitions: Tensor,
        start: Tensor,
        end: Tensor,
        tags: Tensor,
        token_mask: Tensor | None,
        learns: bool,
    ) -> Tensor:
        chain = Chain(transitions, start, end)
        tokens = real_tokens(token_mask, tuple(tags.shape))  # type: ignore[arg-type]
        scores, right = tokens.scores(emissions, chain), tokens.rows(tags)
        steps = transitions.detach().numpy().astype(np.float64)
        N, C = scores.shape
        found = expectations(scores, steps, tokens.starts, learns=learns, team=_team_for(N, C))
        taken = _steps_taken(right, tokens, C)
        gold = scores[np.arange(N), right].sum() + (steps * taken).sum()
        if learns:
            assert found.tags is not None
            found.tags[np.arange(N), right] -= 1.0
            ctx.save_for_backward(
                _as_batch(found.tags, tokens, emissions),
                torch.from_numpy(found.steps - taken).to(transitions.dtype),
                torch.from_numpy(found.tags[tokens.firsts].sum(axis=0)).to(start.dtype),
                torch.from_numpy(found.tags[tokens.lasts].sum(axis=0)).to(end.dtype),
            )
        return emissions.new_tensor(found.log_partition - gold)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor) -> tuple[Tensor | None, ...]:
        return (*(gradient * scale for gradient in ctx.saved_tensors), None, None, None)


_apply: Any = _ChainLoss.apply


def _steps_taken(tags: np.ndarray, tokens: RealTokens, num_tags: int) -> np.ndarray:
    """(C, C) how often the tag of the column follows that of the row."""
    inside = np.ones(max(len(tags) - 1, 0), bool)
    inside[tokens.lasts[:-1]] = False  # from one sentence to the next
    flat = (tags[:-1] * num_tags + tags[1:])[inside]
    return np.bincount(flat, minlength=num_tags**2).reshape(num_tags, num_tags)


class _Left(NamedTuple):
    """A batch with its real tokens at the left."""

    scores: Tensor  # (B, T, C)
    lengths: Tensor  # (B,)
    order: Tensor | None  # (B, T) where each token was, None: where it is


def log_partition(emissions: Tensor, chain: Chain, token_mask: Tensor | None) -> Tensor:
    """Return the logs (B,) of the sums over all paths, 0 without real tokens.

    Args:
        emissions: (B, T, C).
        token_mask: (B, T) bool, True = a real token; None: all are.
    """
    scores, lengths, _ = _moved_left(emissions, token_mask)
    sums = chain.start + scores[:, 0]  # (B, C)
    for token in range(1, scores.shape[1]):
        ahead = torch.logsumexp(sums[:, :, None] + chain.transitions, dim=1) + scores[:, token]
        sums = torch.where((token < lengths)[:, None], ahead, sums)
    return torch.logsumexp(sums + chain.end, dim=1).masked_fill(lengths == 0, 0.0)


def path_score(emissions: Tensor, chain: Chain, tags: Tensor, token_mask: Tensor | None) -> Tensor:
    """Return the scores (B,) of the paths `tags` (B, T), 0 without real tokens."""
    scores, lengths, order = _moved_left(emissions, token_mask)
    tags = tags if order is None else tags.gather(1, order)
    real = torch.arange(tags.shape[1], device=tags.device) < lengths[:, None]  # (B, T)
    tags = tags.masked_fill(~real, 0)
    last = tags.gather(1, (lengths - 1).clamp(min=0)[:, None])[:, 0]  # (B,)
    emitted = scores.gather(2, tags[:, :, None])[:, :, 0].masked_fill(~real, 0.0).sum(1)
    stepped = chain.transitions[tags[:, :-1], tags[:, 1:]].masked_fill(~real[:, 1:], 0.0).sum(1)
    edges = (chain.start[tags[:, 0]] + chain.end[last]).masked_fill(lengths == 0, 0.0)
    return emitted + stepped + edges


def _moved_left(emissions: Tensor, token_mask: Tensor | None) -> _Left:
    B, T, C = emissions.shape
    if token_mask is None:
        return _Left(emissions, torch.full((B,), T, device=emissions.device), None)
    order = (~token_mask).to(torch.uint8).argsort(dim=1, stable=True)
    return _Left(emissions.gather(1, order[:, :, None].expand(B, T, C)), token_mask.sum(1), order)
