"""Greedy and sampled decoding: each row takes its next token, and leaves when its text ends."""

from __future__ import annotations

import torch
from torch import Tensor

from foretext.generation.decoder import Decoder
from foretext.generation.decoding import Decoding, Output
from foretext.generation.sampling import choose

__all__ = ["choose_tokens"]


def choose_tokens(
    decoder: Decoder, num_texts: int, decoding: Decoding, end: int | None
) -> list[list[Output]]:
    """Decode the rows of a fresh decoder by the likeliest tokens, or by drawn ones.

    Args:
        decoder: with a row for each text.
        num_texts: B.
        decoding: the settings; `num_best` outputs are drawn for each text.
        end: id of the token that ends an output.
    """
    device, num_best = decoder.device, decoding.num_best
    generator = torch.Generator(device).manual_seed(decoding.seed)
    logits = decoder.read(torch.empty(num_texts, 0, dtype=torch.int64, device=device))
    alive = torch.arange(num_texts, device=device).repeat_interleave(num_best)  # rows
    if num_best > 1:
        decoder.keep_rows(alive)
        logits = logits[alive]
    alive = torch.arange(num_texts * num_best, device=device)
    written: list[list[int]] = [[] for _ in alive]
    scores = [0.0] * len(written)
    ended = [False] * len(written)
    num_new = min(decoding.max_new_tokens, decoder.room)
    for left in range(num_new - 1, -1, -1):
        tokens = choose(logits, decoding.sampling, generator)  # (B,)
        gains = _log_probabilities(logits, tokens).tolist()
        for row, token, gain in zip(alive.tolist(), tokens.tolist(), gains, strict=True):
            written[row].append(token)
            scores[row] += gain
            ended[row] = token == end
        going = tokens != end if end is not None else torch.ones_like(tokens, dtype=torch.bool)
        if not left or not bool(going.any()):
            break
        if not bool(going.all()):
            rows = going.nonzero()[:, 0]
            decoder.keep_rows(rows)
            alive, tokens = alive[rows], tokens[rows]
        logits = decoder.read(tokens[:, None])
    found = [
        Output(ids[: len(ids) - over], decoding.normalised(score, len(ids)), over)
        for ids, score, over in zip(written, scores, ended, strict=True)
    ]
    grouped = [found[start : start + num_best] for start in range(0, len(found), num_best)]
    return [sorted(group, key=lambda output: -output.score) for group in grouped]


def _log_probabilities(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the log-probability of each row's token, (B,) float32."""
    chosen = logits.gather(1, tokens[:, None])[:, 0]
    return chosen.float() - logits.float().logsumexp(-1)
