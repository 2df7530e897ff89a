"""One side of the benchmark of time to a loss, in its own process; prints its figures as JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.peer_shapes import encoder_shape
from benchmarks.precision import native_autocast

VOCAB, LAYERS, DIM, HEADS, ROWS, LENGTH = 8_000, 4, 256, 4, 32, 128
OUR_RATES = {"bert": 1e-3, "modern-bert": 2e-3}
THEIR_RATE = 1e-3  # as ours for the same model
WARMUP = 0.06
INIT_STD = 0.044  # first weights at this width, on both sides


def main() -> None:
    side, folder = sys.argv[1], Path(sys.argv[2]) / "time-to-loss"
    if side == "prepare":
        prepare(folder)
        print("{}")
        return
    seconds, seed = float(sys.argv[3]), int(sys.argv[4])
    torch.manual_seed(seed)
    run = tuned if side == "tuned" else ours
    print(json.dumps(run(folder, side, seconds, seed)))


def prepare(folder: Path) -> None:
    """Learn a tokenizer from WikiText-2 and encode the text, unless that is done."""
    from benchmarks.harness import data_folder
    from foretext.corpus import Corpus
    from foretext.data.token_writer import write_tokens
    from foretext.tokenizers.subwords import learn_subwords

    if (folder / "tokens").is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    text = Corpus(data_folder() / "wikitext-2" / "train.txt.xz")
    tokenizer = learn_subwords("wordpiece", {"vocab_size": VOCAB}, text)
    tokenizer.save(folder / "tokenizer.json")
    write_tokens(text, tokenizer, folder / "tokens", valid_rate=0.02, seed=1)


def ours(folder: Path, recipe: str, seconds: float, seed: int) -> dict[str, Any]:
    """The loop as `foretext pretrain` runs it, under a budget."""
    from foretext.progress.run_context import RunContext
    from foretext.training.loop import fit
    from foretext.training.settings import TrainingConfig

    model, train, held_out = parts(folder, recipe, seed)
    settings = {
        "budget_seconds": seconds,
        "batch_examples": ROWS,
        "learning_rate": OUR_RATES[recipe],
        "warmup_rate": WARMUP,
        "seed": seed,
    }
    config = TrainingConfig.checked(settings, "training")
    began = time.perf_counter()
    history = fit(model, train, config, RunContext(folder))
    elapsed = time.perf_counter() - began
    return {"seconds": elapsed, "loss": held_out.measure(model)["valid_loss"], **_told(history)}


def _told(history: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tokens": history[-1]["tokens"]}


def parts(folder: Path, recipe: str, seed: int) -> tuple[Any, Any, Any]:
    """Our model, the rows to learn from and the held-out loss."""
    from foretext.data.token_file import Tokens
    from foretext.pretraining.building import build_model
    from foretext.recipe import Recipe
    from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
    from foretext.training.validation import HeldOutLoss

    tokenizer = SubwordTokenizer.load(folder / "tokenizer.json")
    tokens = Tokens.open(folder / "tokens")
    settings = {
        "num_layers": LAYERS, "dim": DIM, "num_heads": HEADS, "max_length": LENGTH,
        "init_std": INIT_STD,
    }  # fmt: skip
    chosen = Recipe.load(recipe).with_settings("backbone", **settings)
    if recipe == "bert":
        chosen = chosen.with_settings("objective", next_sentence=False)
    model = build_model(chosen.with_settings("training", seed=seed), tokenizer)
    assert tokens.valid is not None
    held_out = model.objective.examples(tokens.valid, held_out=True)
    return model, model.objective.examples(tokens.train), HeldOutLoss(held_out, ROWS)


def tuned(folder: Path, side: str, seconds: float, seed: int) -> dict[str, Any]:
    """Their model at its best here, on the same rows, with the rate falling over the time."""
    from foretext.training.batches import Batches

    _, train, held_out = parts(folder, "bert", seed)
    model = their_model()
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=THEIR_RATE, betas=(0.9, 0.98), eps=1e-6, fused=True
    )
    batches = Batches(train, ROWS, seed).ahead(0)
    model.train()
    began, steps = time.perf_counter(), 0
    while (done := (time.perf_counter() - began) / seconds) < 1:
        rate = done / WARMUP if done < WARMUP else (1 - done) / (1 - WARMUP)
        for group in optimizer.param_groups:
            group["lr"] = THEIR_RATE * max(rate, 1e-3)
        with native_autocast():
            loss = model(**theirs(next(batches).batch)).loss
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
    elapsed = time.perf_counter() - began
    batches.close()  # type: ignore[attr-defined]
    return {
        "seconds": elapsed,
        "loss": their_loss(model, held_out),
        "tokens": steps * ROWS * LENGTH,
    }


def their_model() -> Any:
    from transformers import BertConfig, BertForMaskedLM

    shape = encoder_shape(vocab_size=VOCAB, layers=LAYERS, dim=DIM, heads=HEADS, length=LENGTH)
    return BertForMaskedLM(
        BertConfig(**shape, initializer_range=INIT_STD, attn_implementation="sdpa")
    )


def theirs(batch: Any) -> dict[str, torch.Tensor]:
    """A batch of ours as they take it."""
    labels = batch.targets["original"].masked_fill(~batch.targets["masked"].bool(), -100)
    ids, mask = batch.inputs.ids, batch.inputs.token_mask
    mask = torch.ones_like(ids) if mask is None else mask.long()
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


@torch.inference_mode()
def their_loss(model: Any, held_out: Any) -> float:
    """The mean over all hidden tokens of the held-out rows."""
    model.eval()
    total, count = 0.0, 0
    for step in range(held_out.batches.per_epoch):
        batch = held_out.batches.batch(step)
        asked = int(batch.targets["masked"].sum())
        total += float(model(**theirs(batch)).loss) * asked
        count += asked
    return total / count


if __name__ == "__main__":
    main()
