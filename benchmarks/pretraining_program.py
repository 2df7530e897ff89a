"""One side of the pretraining benchmark, in a process of its own; prints its figures as JSON.

Four layers of width 256, 20,000 tokens, rows of 128 tokens, 32 a step: real training steps on drawn
ids, with optimizer, clipping and what each side does to make its batches.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.peer_shapes import encoder_shape
from benchmarks.precision import native_autocast

LAYERS, DIM, HEADS, WORDS, ROWS, LENGTH = 4, 256, 4, 20_000, 32, 128
WARM, STEPS = 3, 6  # the first ones compile and allocate
MASK, CLS, SEP = 4, 2, 3


def main() -> None:
    side, objective, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.manual_seed(seed)
    seconds = {"foretext": ours, "tuned": tuned, "shipped": shipped}[side](objective, seed)
    tokens = STEPS * ROWS * LENGTH
    print(json.dumps({"seconds": seconds, "tokens_per_second": tokens / seconds}))


def ours(objective: str, seed: int, *, clock: Callable[[], float] = time.perf_counter) -> float:
    """The loop as `foretext pretrain` runs it."""
    from foretext.progress.run_context import RunContext
    from foretext.training.batches import Batches
    from foretext.training.loop import Training
    from foretext.training.settings import TrainingConfig

    model = our_model(objective)
    settings = {"steps": WARM + STEPS, "batch_examples": ROWS, "seed": seed}
    config = TrainingConfig.checked(settings, "training")
    examples = model.objective.examples(drawn_tokens(seed))
    ends: list[float] = []

    class Timed(Training):
        def _step(self, part: Any) -> None:
            super()._step(part)
            ends.append(clock())

    assert Batches(examples, ROWS, seed).per_epoch > WARM + STEPS
    Timed(model, examples, config, RunContext(Path())).run()
    return ends[-1] - ends[WARM - 1]


def our_model(objective: str) -> Any:
    from foretext.backbones.deberta import Deberta
    from foretext.backbones.transformer import Transformer
    from foretext.backbones.xlnet import XLNet
    from foretext.objectives.causal_lm import CausalLM
    from foretext.objectives.masked_lm import MaskedLM
    from foretext.objectives.permutation_lm import PermutationLM
    from foretext.training.model import Model

    shape = {"num_layers": LAYERS, "dim": DIM, "num_heads": HEADS, "max_length": LENGTH}
    gpt = {
        "num_segments": 0,
        "norm_position": "pre",
        "norm_eps": 1e-5,
        "embedding_norm": False,
        "activation": "gelu_tanh",
    }
    kinds: dict[str, tuple[Any, dict[str, Any], Any]] = {
        "masked": (Transformer, {}, MaskedLM),
        "disentangled": (Deberta, {}, MaskedLM),
        "causal": (Transformer, gpt, CausalLM),
        "permuted": (XLNet, {"cls_segment": True}, PermutationLM),
    }
    body, form, asked = kinds[objective]
    backbone = body(body.Config.checked({**shape, **form}, "backbone"), WORDS)
    return Model(backbone, asked(asked.Config(), backbone, DrawnTokenizer()))


class DrawnTokenizer:
    """What an objective asks of a tokenizer, for ids that stand for nothing."""

    ordinary = np.arange(WORDS) > MASK

    @property
    def special(self) -> DrawnTokenizer:
        return self

    def required(self, task: str) -> int:
        return {"cls": CLS, "sep": SEP, "mask": MASK, "pad": 0, "end": SEP}[task]


def drawn_tokens(seed: int) -> Any:
    from foretext.data.token_file import TokenFile

    rng = np.random.default_rng(seed)
    ids = rng.integers(MASK + 1, WORDS, 2 * (WARM + STEPS) * ROWS * LENGTH).astype(np.uint16)
    starts = np.arange(0, len(ids) + 1, 1 << 10)
    return TokenFile(Path(), ids[: starts[-1]], starts, starts, WORDS)


def tuned(objective: str, seed: int) -> float:
    """Their model at its best: fused attention, bfloat16 if native, fused AdamW, no dropout."""
    model = their_model(objective, dropout=0.0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    model.train()
    for step in range(WARM + STEPS):
        if step == WARM:
            began = time.perf_counter()
        with native_autocast():
            loss = model(**their_batch(objective, seed + step)).loss
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return time.perf_counter() - began


def shipped(objective: str, seed: int) -> float:
    """`transformers.Trainer` with its defaults: float32, dropout as the model has it."""
    from transformers import Trainer, TrainerCallback, TrainingArguments

    ends: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *args: Any, **kwargs: Any) -> None:
            ends.append(time.perf_counter())

    rows = [row for step in range(WARM + STEPS) for row in their_rows(objective, seed + step)]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            per_device_train_batch_size=ROWS,
            max_steps=WARM + STEPS,
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
        )
        logging.disable(logging.WARNING)
        Trainer(
            their_model(objective, dropout=0.1), arguments, train_dataset=rows, callbacks=[Clock()]
        ).train()
    return ends[-1] - ends[WARM - 1]


def their_model(objective: str, dropout: float) -> Any:
    from transformers import (
        BertConfig,
        BertForMaskedLM,
        DebertaV2Config,
        DebertaV2ForMaskedLM,
        GPT2Config,
        GPT2LMHeadModel,
        XLNetConfig,
        XLNetLMHeadModel,
    )

    if objective == "permuted":
        permuted = XLNetConfig(
            vocab_size=WORDS,
            d_model=DIM,
            n_layer=LAYERS,
            n_head=HEADS,
            d_inner=4 * DIM,
            dropout=dropout,
            mem_len=None,
        )
        return XLNetLMHeadModel(permuted)
    encoder = encoder_shape(
        vocab_size=WORDS, layers=LAYERS, dim=DIM, heads=HEADS, length=LENGTH, dropout=dropout
    )
    if objective == "masked":
        return BertForMaskedLM(BertConfig(**encoder, attn_implementation="sdpa"))
    if objective == "disentangled":
        distances = {
            "relative_attention": True,
            "position_buckets": 256,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": "p2c|c2p",
            "position_biased_input": False,
        }
        return DebertaV2ForMaskedLM(DebertaV2Config(**encoder, **distances))
    config = GPT2Config(
        vocab_size=WORDS,
        n_embd=DIM,
        n_layer=LAYERS,
        n_head=HEADS,
        n_positions=LENGTH,
        bos_token_id=SEP,
        eos_token_id=SEP,
        resid_pdrop=dropout,
        embd_pdrop=dropout,
        attn_pdrop=dropout,
        attn_implementation="sdpa",
        use_cache=False,
    )
    return GPT2LMHeadModel(config)


def their_batch(objective: str, seed: int) -> dict[str, torch.Tensor]:
    rows = their_rows(objective, seed)
    return {name: torch.stack([row[name] for row in rows]) for name in rows[0]}


def their_rows(objective: str, seed: int) -> list[dict[str, torch.Tensor]]:
    """Ids and labels as their collator gives them."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(MASK + 1, WORDS, (ROWS, LENGTH), generator=generator)
    if objective == "permuted":
        return [permuted_row(row, generator) for row in ids]
    labels = ids.clone()
    if objective in ("masked", "disentangled"):
        asked = torch.rand(ids.shape, generator=generator) < 0.15
        labels[~asked] = -100
        ids[asked] = MASK
    return [{"input_ids": row, "labels": label} for row, label in zip(ids, labels, strict=True)]


def permuted_row(ids: torch.Tensor, generator: torch.Generator) -> dict[str, torch.Tensor]:
    """A sixth of the tokens, the last of a random order; the others are visible to all."""
    asked = torch.randperm(LENGTH, generator=generator)[: LENGTH // 6]
    order = torch.zeros(LENGTH).index_put((asked,), torch.arange(1.0, len(asked) + 1))
    # Theirs says what is hidden; a query sees neither its own token nor later ones.
    hidden = order >= torch.where(order > 0, order, 1.0)[:, None]
    mapping = torch.nn.functional.one_hot(asked, LENGTH).float()
    kinds = torch.zeros_like(ids).index_fill(0, torch.tensor([LENGTH - 1]), 2)
    return {
        "input_ids": ids,
        "perm_mask": hidden.float(),
        "target_mapping": mapping,
        "token_type_ids": kinds,
        "labels": ids[asked],
    }


if __name__ == "__main__":
    main()
