"""What a causal language model expected at each token of a text, and what it would have preferred.

Rows are read once, from their beginning, so that each token sees all that stands before it. B rows
of a batch, T positions, V ids, K of the likeliest tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from foretext.backbones.base import Backbone
from foretext.base.config import whole_number
from foretext.base.errors import CorpusError
from foretext.data.batch import Inputs
from foretext.language_model.abilities import cannot
from foretext.language_model.networks import Network
from foretext.nn.token_head import TokenHead

__all__ = ["TokenScores", "check_ids", "score_rows"]

BATCH_TOKENS = 1 << 13  # positions of a batch
PIECE_TOKENS = 1 << 11  # positions that are read at a time where the state is carried
LOGITS = 1 << 24  # numbers at a time: logits of all positions would need more memory than the rest


@dataclass(frozen=True)
class TokenScores:
    """Log-probabilities, in nats, of the tokens of one row of T ids."""

    log_probs: list[float]  # of each token but the first, given all before it, (T - 1,)
    # The likeliest tokens and their log-probabilities, the likeliest first, in place of each token
    # but the first, and after the last one: (T, K).
    likeliest: list[list[tuple[int, float]]] = field(repr=False)


@torch.inference_mode()
def score_rows(
    network: Network, rows: Sequence[Sequence[int]], num_ids: int, topn: int
) -> list[TokenScores]:
    """Score rows of ids; `LanguageModel.token_scores` describes the arguments.

    Args:
        network: whose log-probabilities are returned.
        rows: of ids.
        num_ids: that the tokenizer has; a head may have rows behind them, which are no answer.
        topn: likeliest tokens to return at each place.
    """
    objective, backbone = network.objective, network.backbone
    if objective is None or not objective.scores_text:
        raise cannot("token_scores", "a causal model (GPT)", objective)
    head = objective.token_head
    assert head is not None, f"{type(objective).__name__} scores texts and has no token head"
    topn = whole_number(topn, "topn", least=0)
    length = None if backbone.carries_state else objective.learned_length(backbone)
    for row in rows:
        check_ids(row, num_ids)
        _check_length(row, length)
    found: dict[int, TokenScores] = {}
    for batch in _batches(rows):
        ids = _padded([rows[number] for number in batch], backbone.embedding.device)
        scored = _score(backbone, head, ids, num_ids, min(topn, num_ids))
        for number, scores in zip(batch, zip(*scored, strict=True), strict=True):
            found[number] = _without_padding(*scores, length=len(rows[number]))
    return [found[number] for number in range(len(rows))]


def check_ids(ids: Sequence[int], num_ids: int) -> None:
    """Check that ids are of a tokenizer.

    Raises:
        CorpusError: one is not.
    """
    if ids and not 0 <= min(ids) <= max(ids) < num_ids:
        wrong = max(ids) if min(ids) >= 0 else min(ids)
        raise CorpusError(
            f"The id {wrong:,} is not one of the model's tokenizer, which has the ids 0 to "
            f"{num_ids - 1:,}; these ids come from another tokenizer: give the text instead."
        )


def _check_length(row: Sequence[int], length: int | None) -> None:
    if not row:
        raise CorpusError("A row has no ids; give the id of a token to begin with, at least.")
    if length is not None and len(row) > length:
        raise CorpusError(
            f"A text has {len(row):,} tokens, and the model reads {length:,} at once; shorten the "
            "text, or score it piece by piece."
        )


def _batches(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Numbers of rows of similar length, as many as fill a batch."""
    batch: list[int] = []
    for number in sorted(range(len(rows)), key=lambda number: -len(rows[number])):
        if batch and (len(batch) + 1) * len(rows[batch[0]]) > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Ids (B, T); no token sees the padding, which is at its right."""
    width = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=device)


def _score(
    backbone: Backbone, head: TokenHead, ids: Tensor, num_ids: int, topn: int
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the log-probability of each next id, (B, T), and the likeliest with theirs, (B, T, K).

    The next id of the last one is not known; what stands there is not looked at.
    """
    targets = torch.cat((ids[:, 1:], ids[:, :1]), 1)
    size, start = max(LOGITS // (num_ids * len(ids)), 1), 0
    parts = []
    for states in _states(backbone, ids):
        for piece in torch.split(states, size, dim=1):  # (B, t, D)
            logits = head(piece).float()  # (B, t, V)
            sums = logits.logsumexp(-1, keepdim=True)
            wanted = targets[:, start : start + piece.shape[1], None]
            best, tokens = logits[..., :num_ids].topk(topn)
            parts.append(((logits.gather(-1, wanted) - sums)[..., 0], best - sums, tokens))
            start += piece.shape[1]
    log_probs, best, tokens = (torch.cat(part, 1).tolist() for part in zip(*parts, strict=True))
    return log_probs, best, tokens


def _states(backbone: Backbone, ids: Tensor) -> Iterator[Tensor]:
    """Yield the states of some positions of all rows at a time, (B, t, D)."""
    if not backbone.carries_state:
        yield backbone(Inputs(ids, visibility="causal")).last
        return
    carried: tuple[Tensor, ...] = ()
    for piece in torch.split(ids, PIECE_TOKENS, dim=1):
        states = backbone(Inputs(piece.contiguous(), visibility="causal", carried=carried))
        carried = states.carried
        yield states.last


def _without_padding(
    log_probs: list[float], best: list[list[float]], tokens: list[list[int]], *, length: int
) -> TokenScores:
    likeliest = [
        list(zip(ids, values, strict=True))
        for ids, values in zip(tokens[:length], best[:length], strict=True)
    ]
    return TokenScores(log_probs[: length - 1], likeliest)
