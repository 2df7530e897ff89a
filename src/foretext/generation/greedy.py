"""Greedy and sampled decoding: each row takes its next token, and leaves when its text ends.

B texts, J outputs of each, N tokens at most, V ids. A row is an output that has not ended.
"""

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
        texts: the number of each text, (B,), which determines what is drawn for it.
        decoding: the settings; `num_best` outputs are drawn for each text.
        end: id of the token that ends an output; None: none does.
    """
    num_new, num_best = min(decoding.max_new_tokens, decoder.room), decoding.num_best
    constraints = Constraints(decoder.reading, decoding, end, num_new)
    chance = None
    if decoding.temperature > 0:
        chance = _chance(texts, decoding, num_new).to(decoder.device)
    written = _Written(len(texts) * num_best, num_new, decoder.device)
    logits = decoder.read(written.rows.new_empty(len(texts), 0))
    if num_best > 1:
        decoder.keep_rows(written.rows // num_best)
        logits = logits[written.rows // num_best]
    for step in range(num_new):
        logits = logits.float()
        log_sums = logits.logsumexp(-1)
        logits = constraints.apply(logits, log_sums, written.ids[written.rows, :step])
        if chance is None:
            tokens = logits.argmax(-1)
        else:
            tokens = draw(logits, decoding.sampling, chance[written.rows, step])
        gains = logits.gather(1, tokens[:, None])[:, 0] - log_sums
        going = written.add(tokens, gains, step, end)
        if step == num_new - 1 or not len(going):
            break
        if len(going) < len(tokens):
            decoder.keep_rows(going)
        logits = decoder.read(tokens[going, None])
    found = written.outputs(constraints, decoding)
    groups = [found[start : start + num_best] for start in range(0, len(found), num_best)]
    return [sorted(group, key=lambda output: -output.score) for group in groups]


class _Written:
    """What was written of all outputs, (B J, N), and which of them go on."""

    def __init__(self, num_outputs: int, num_new: int, device: torch.device) -> None:
        self.ids = torch.zeros(num_outputs, num_new, dtype=torch.int64, device=device)
        self.scores = torch.zeros(num_outputs, device=device)
        self.lengths = torch.full_like(self.scores, num_new, dtype=torch.int64)
        self.rows = torch.arange(num_outputs, device=device)  # the output of each row

    def add(self, tokens: Tensor, gains: Tensor, step: int, end: int | None) -> Tensor:
        """Write the tokens of all rows, and return the rows that go on."""
        self.ids[self.rows, step] = tokens
        self.scores[self.rows] += gains
        ends = torch.zeros_like(tokens, dtype=torch.bool) if end is None else tokens == end
        self.lengths[self.rows[ends]] = step + 1
        going = (~ends).nonzero()[:, 0]
        self.rows = self.rows[going]
        return going

    def outputs(self, constraints: Constraints, decoding: Decoding) -> list[Output]:
        rows = zip(self.ids.tolist(), self.lengths.tolist(), self.scores.tolist(), strict=True)
        return [
            constraints.output(ids[:length], score / decoding.divisor(length))
            for ids, length, score in rows
        ]


def _chance(texts: Sequence[int], decoding: Decoding, num_new: int) -> Tensor:
    """Return a number in [0, 1) for every token, (B J, N), the same in whatever batch."""
    shape = decoding.num_best, num_new
    drawn = [np.random.default_rng((decoding.seed, text)).random(shape) for text in texts]
    return torch.from_numpy(np.concatenate(drawn))
