"""One side of ELECTRA's benchmark, in a process of its own; prints its figures as JSON.

Discriminator of four layers of width 256, generator of a quarter of that width, 20,000 tokens, 32
rows of 128 a step: real training steps on drawn ids, with optimizer, clipping and batches.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.precision import native_autocast
from benchmarks.pretraining_program import (
    DIM,
    HEADS,
    LAYERS,
    LENGTH,
    MASK,
    ROWS,
    STEPS,
    WARM,
    WORDS,
    DrawnTokenizer,
    drawn_tokens,
)

GENERATOR_DIM, GENERATOR_HEADS, WEIGHT, MASK_RATE = DIM // 4, 1, 50.0, 0.15


def main() -> None:
    side, seed = sys.argv[1], int(sys.argv[2])
    torch.manual_seed(seed)
    seconds = {"foretext": ours, "tuned": tuned}[side](seed)
    tokens = STEPS * ROWS * LENGTH
    print(json.dumps({"seconds": seconds, "tokens_per_second": tokens / seconds}))


def ours(seed: int) -> float:
    """The loop as `foretext pretrain` runs it."""
    from foretext.progress.run_context import RunContext
    from foretext.training.loop import Training
    from foretext.training.settings import TrainingConfig

    model = our_model()
    settings = {"steps": WARM + STEPS, "batch_examples": ROWS, "seed": seed}
    config = TrainingConfig.checked(settings, "training")
    clock: list[float] = []

    class Timed(Training):
        def _step(self, part: Any) -> None:
            super()._step(part)
            clock.append(time.perf_counter())

    Timed(model, model.objective.examples(drawn_tokens(seed)), config, RunContext(Path())).run()
    return clock[-1] - clock[WARM - 1]


def our_model() -> Any:
    from foretext.backbones.transformer import Transformer
    from foretext.objectives.electra import Electra
    from foretext.training.model import Model

    shape = {"num_layers": LAYERS, "dim": DIM, "num_heads": HEADS, "max_length": LENGTH}
    tokenizer: Any = DrawnTokenizer()
    backbone = Transformer(Transformer.Config.checked(shape, "backbone"), WORDS)
    objective = Electra(Electra.Config.checked({}, "objective"), backbone, tokenizer)
    return Model(backbone, objective)


def tuned(seed: int) -> float:
    """Their models at their best: fused attention, bfloat16 if native, fused AdamW, no dropout."""
    generator, discriminator = their_models()
    both = nn.ModuleList([generator, discriminator])
    optimizer = torch.optim.AdamW(both.parameters(), lr=1e-4, fused=True)
    both.train()
    for step in range(WARM + STEPS):
        if step == WARM:
            began = time.perf_counter()
        ids, labels, masked = their_batch(seed + step)
        with native_autocast():
            guess = generator(input_ids=ids, labels=labels)
        with torch.no_grad():
            chances = guess.logits[masked].float().softmax(-1)
            drawn = torch.multinomial(chances, 1)[:, 0]
        original = torch.where(masked, labels, ids)
        seen = original.clone()
        seen[masked] = drawn
        with native_autocast():
            found = discriminator(input_ids=seen, labels=(seen != original).long())
        (guess.loss + WEIGHT * found.loss).backward()
        nn.utils.clip_grad_norm_(both.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return time.perf_counter() - began


def their_models() -> tuple[Any, Any]:
    """Generator and discriminator, which share their embeddings."""
    from transformers import ElectraConfig, ElectraForMaskedLM, ElectraForPreTraining

    common = {
        "vocab_size": WORDS,
        "embedding_size": DIM,
        "num_hidden_layers": LAYERS,
        "max_position_embeddings": LENGTH,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "attn_implementation": "sdpa",
    }
    small = ElectraConfig(
        hidden_size=GENERATOR_DIM,
        num_attention_heads=GENERATOR_HEADS,
        intermediate_size=4 * GENERATOR_DIM,
        **common,
    )
    large = ElectraConfig(
        hidden_size=DIM, num_attention_heads=HEADS, intermediate_size=4 * DIM, **common
    )
    generator, discriminator = ElectraForMaskedLM(small), ElectraForPreTraining(large)
    generator.electra.embeddings = discriminator.electra.embeddings
    generator.tie_weights()
    return generator, discriminator


def their_batch(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids with masks, labels as their collator gives them, and which are masked."""
    draws = torch.Generator().manual_seed(seed)
    ids = torch.randint(MASK + 1, WORDS, (ROWS, LENGTH), generator=draws)
    masked = torch.rand(ids.shape, generator=draws) < MASK_RATE
    return ids.masked_fill(masked, MASK), ids.masked_fill(~masked, -100), masked


if __name__ == "__main__":
    main()
