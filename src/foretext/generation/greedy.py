"""Greedy and sampled decoding: each row takes its next token, and leaves when its text ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from foretext.generation.constraints import Constraints
from foretext.generation.decoder import Decoder
from foretext.generation.decoding import Decoding, Output
from foretext.generation.sampling import draw

__all__ = ["choose_tokens"]


def choose_tokens(
    decoder: Decoder, texts: Sequence[int], decoding: Decoding, end: int | None
) -> list[list[Output]]:
    """Decode the rows of a fresh decoder by the likeliest tokens, or by drawn ones.

    Args:
        decoder: with a row for each text.
        texts: the number of each text, which determines its draws.
        decoding: the settings; `num_best` outputs are drawn for each text.
        end: id of the token that ends an output.
    """
    device, J = decoder.device, decoding.num_best
    N = min(decoding.max_new_tokens, decoder.room)
    constraints = Constraints(decoder.reading, decoding, end, N)
    alive = torch.arange(len(texts) * J, device=device)  # output of each row
    outputs = torch.zeros(len(alive), N, dtype=torch.int64, device=device)
    lengths, scores = torch.full_like(alive, N), torch.zeros(len(alive), device=device)
    chance = None if decoding.temperature == 0 else _chance(texts, decoding, N).to(device)
    logits = decoder.read(alive.new_empty(len(texts), 0))
    if J > 1:
        rows = alive // J
        decoder.keep_rows(rows)
        logits = logits[rows]
    for step in range(N):
        logits = logits.float()
        log_sums = logits.logsumexp(-1)
        logits = constraints.apply(logits, log_sums, outputs[alive, :step])
        if chance is None:
            tokens = logits.argmax(-1)
        else:
            tokens = draw(logits, decoding.sampling, chance[alive, step])
        scores[alive] += logits.gather(1, tokens[:, None])[:, 0] - log_sums
        outputs[alive, step] = tokens
        ends = tokens == (-1 if end is None else end)
        lengths[alive[ends]] = step + 1
        going = (~ends).nonzero()[:, 0]
        if step == N - 1 or not len(going):
            break
        if len(going) < len(alive):
            decoder.keep_rows(going)
            alive, tokens = alive[going], tokens[going]
        logits = decoder.read(tokens[:, None])
    found = [
        constraints.output(ids[:length], score / decoding.divisor(length))
        for ids, length, score in zip(
            outputs.tolist(), lengths.tolist(), scores.tolist(), strict=True
        )
    ]
    grouped = [found[start : start + J] for start in range(0, len(found), J)]
    return [sorted(group, key=lambda output: -output.score) for group in grouped]


def _chance(texts: Sequence[int], decoding: Decoding, num_new: int) -> Tensor:
    """Return uniform numbers for every output and token, (B J, N), the same in every batch."""
    shape = decoding.num_best, num_new
    drawn = [np.random.default_rng((decoding.seed, text)).random(shape) for text in texts]
    return torch.from_numpy(np.concatenate(drawn)).float()
