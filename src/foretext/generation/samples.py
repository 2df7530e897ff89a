"""Several continuations of one prompt, side by side, which the caller watches token by token."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from foretext.generation.constraints import Constraints
from foretext.generation.decoder import Decoder
from foretext.generation.decoding import Decoding
from foretext.generation.sampling import Sampling, choose

__all__ = ["Scored", "Watch", "generate_ids"]

Watch = Callable[[int, list[int]], bool]  # sample and its ids so far; True: it ends here
# What the next tokens were chosen from, logits (B, V), and which they are, (B,).
Scored = Callable[[Tensor, Tensor], object]


@torch.inference_mode()
def generate_ids(
    decoder: Decoder,
    prompt: Tensor,
    sampling: Sampling,
    watch: Watch,
    *,
    max_new_tokens: int,
    num_samples: int = 1,
    seed: int = 0,
    scored: Scored | None = None,
) -> list[list[int]]:
    """Continue a prompt, (T,) int64, several times side by side; return the new ids.

    Args:
        decoder: fresh; it reads the prompt once for all samples.
        prompt: at least one id, unless the reading has an opening.
        sampling: how tokens are chosen.
        watch: called with each sample after each of its tokens; it returns True to end it.
        max_new_tokens: of each sample, at most.
        num_samples: how many.
        seed: of the draws.
        scored: called before `watch`, with a row for each sample that has not ended; it changes
            nothing in place.
    """
    reading = decoder.reading._replace(last=None)
    constraints = Constraints(reading, Decoding(), None, max_new_tokens)
    generator = torch.Generator(prompt.device).manual_seed(seed)
    samples: list[list[int]] = [[] for _ in range(num_samples)]
    alive = list(range(num_samples))  # the samples that have not ended, a row each
    logits = decoder.read(prompt[None]).repeat(num_samples, 1)
    if num_samples > 1:
        decoder.keep_rows([0] * num_samples)
    for left in range(max_new_tokens - 1, -1, -1):
        written = prompt.new_empty(len(logits), max_new_tokens - 1 - left)
        logits = constraints.apply(logits, logits.new_zeros(len(logits)), written)
        tokens = choose(logits, sampling, generator)  # (B,)
        if scored is not None:
            scored(logits, tokens)
        for sample, token in zip(alive, tokens.tolist(), strict=True):
            samples[sample].append(token)
        going = [row for row, sample in enumerate(alive) if not watch(sample, samples[sample])]
        if not going or not left:
            break
        if len(going) < len(alive):
            decoder.keep_rows(going)
            alive, tokens = [alive[row] for row in going], tokens[going]
        logits = decoder.read(tokens[:, None])
    return samples
