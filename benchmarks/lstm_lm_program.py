"""One side of the benchmark of LSTM language models, in its own process; prints figures as JSON."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.precision import native_autocast

WORDS, LAYERS, DIM, LANES, LENGTH = 10_000, 2, 256, 32, 32
DROPOUT, RATE, WARMUP, CLIP = 0.2, 3e-3, 0.06, 0.5
WARM, STEPS = 3, 30  # the first ones compile and allocate

State = tuple[Tensor, Tensor] | None


def main() -> None:
    job, *arguments = sys.argv[1:]
    if job == "prepare":
        prepare(Path(arguments[0]) / "lstm-lm")
        print("{}")
        return
    side, folder, seed = arguments[0], Path(arguments[1]) / "lstm-lm", int(arguments[2])
    torch.manual_seed(seed)
    if job == "step":
        seconds = (our_steps if side == "foretext" else their_steps)(folder, side, seed)
        words = STEPS * LANES * LENGTH
        print(json.dumps({"seconds": seconds, "words_per_second": words / seconds}))
        return
    train = our_training if side == "foretext" else their_training
    print(json.dumps(train(folder, side, seed, float(arguments[3]))))


def prepare(folder: Path) -> None:
    """Learn the words of the Penn Treebank and encode it, unless that is done."""
    from benchmarks.harness import data_folder
    from foretext.corpus import Corpus, CorpusConfig
    from foretext.data.token_writer import write_tokens
    from foretext.tokenizers.subwords import learn_subwords

    if (folder / "valid").is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    data, lines = data_folder() / "ptb", CorpusConfig(documents="line")
    text = Corpus(data / "ptb.train.txt.xz", lines)
    settings = {
        "vocab_size": WORDS,
        "min_count": 1,
        "pre_tokenizer": "whitespace",
        "lowercase": False,
        "special_tokens": ["<unk>", "<eos>"],
    }
    tokenizer = learn_subwords("word", settings, text)
    tokenizer.save(folder / "tokenizer.json")
    write_tokens(text, tokenizer, folder / "train")
    write_tokens(Corpus(data / "ptb.valid.txt", lines), tokenizer, folder / "valid")


def parts(folder: Path, seed: int) -> tuple[Any, Any, Any]:
    """Our model, the text to learn from and the text to be judged on."""
    from foretext.data.token_file import Tokens
    from foretext.pretraining.building import build_model
    from foretext.recipe import Recipe
    from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

    recipe = Recipe.load("lstm-lm").with_settings(
        "backbone",
        num_layers=LAYERS, vector_size=DIM, dim=DIM, dropout=DROPOUT, layer_dropout=DROPOUT,
    )  # fmt: skip
    recipe = recipe.with_settings("objective", row_length=LENGTH, dropout=DROPOUT)
    recipe = recipe.with_settings("training", seed=seed)
    model = build_model(recipe, SubwordTokenizer.load(folder / "tokenizer.json"))
    return model, Tokens.open(folder / "train").train, Tokens.open(folder / "valid").train


def batches_of(model: Any, text: Any, seed: int) -> Any:
    from foretext.training.batches import Batches

    return Batches(model.objective.examples(text), LANES, seed, continues=True)


def our_steps(folder: Path, side: str, seed: int) -> float:
    """The loop as `foretext pretrain` runs it."""
    from foretext.progress.run_context import RunContext
    from foretext.training.loop import Training

    model, text, _ = parts(folder, seed)
    clock: list[float] = []

    class Timed(Training):
        def _step(self, part: Any) -> None:
            super()._step(part)
            clock.append(processor_time())

    config = our_config(seed, steps=WARM + STEPS)
    Timed(model, model.objective.examples(text), config, RunContext(folder)).run()
    return clock[-1] - clock[WARM - 1]


def our_config(seed: int, **length: float) -> Any:
    from foretext.training.settings import TrainingConfig

    settings = {
        "batch_examples": LANES,
        "learning_rate": RATE,
        "warmup_rate": WARMUP,
        "clip_norm": CLIP,
        "weight_decay": 0.0,
        "seed": seed,
    }
    return TrainingConfig.checked({**settings, **length}, "training")


def our_training(folder: Path, side: str, seed: int, seconds: float) -> dict[str, Any]:
    """A training under a budget, and the perplexity of the validation text."""
    from foretext.progress.run_context import RunContext
    from foretext.training.loop import fit
    from foretext.training.validation import HeldOutLoss

    model, text, valid = parts(folder, seed)
    config = our_config(seed, budget_seconds=seconds)
    context, began = RunContext(folder, clock=processor_time), processor_time()
    history = fit(model, model.objective.examples(text), config, context)
    elapsed = processor_time() - began
    held_out = HeldOutLoss(model.objective.examples(valid, held_out=True), LANES, continues=True)
    loss = held_out.measure(model)["valid_loss"]
    return {"seconds": elapsed, "perplexity": math.exp(loss), "words": history[-1]["tokens"]}


class Plain(nn.Module):
    """The model of the usual example: embedding, `nn.LSTM`, a tied linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = nn.Embedding(WORDS, DIM)
        self.dropout = nn.Dropout(DROPOUT)
        self.lstm = nn.LSTM(DIM, DIM, LAYERS, dropout=DROPOUT, batch_first=True)
        self.head = nn.Linear(DIM, WORDS, bias=False)
        self.head.weight = self.vectors.weight
        nn.init.uniform_(self.vectors.weight, -0.1, 0.1)

    def forward(self, ids: Tensor, targets: Tensor, state: State) -> tuple[Tensor, State]:
        """Return the mean loss and the last state."""
        hidden, state = self.lstm(self.dropout(self.vectors(ids)), state)
        logits = self.head(self.dropout(hidden)).flatten(0, 1)
        return F.cross_entropy(logits.float(), targets.flatten()), state


def their_steps(folder: Path, side: str, seed: int) -> float:
    clock: list[float] = []

    def rate() -> float | None:
        clock.append(processor_time())
        return 1.0 if len(clock) <= WARM + STEPS else None

    learn(folder, side, seed, rate)
    return clock[-1] - clock[WARM]


def their_training(folder: Path, side: str, seed: int, seconds: float) -> dict[str, Any]:
    """The loop with the rate falling over the time, and the perplexity of the validation text."""
    began = processor_time()

    def rate() -> float | None:
        done = (processor_time() - began) / seconds
        if done >= 1:
            return None
        return max(done / WARMUP if done < WARMUP else (1 - done) / (1 - WARMUP), 1e-3)

    model, batches, steps = learn(folder, side, seed, rate)
    elapsed = processor_time() - began
    perplexity = math.exp(their_loss(model, batches))
    return {"seconds": elapsed, "perplexity": perplexity, "words": steps * LANES * LENGTH}


def learn(
    folder: Path, side: str, seed: int, rate: Callable[[], float | None]
) -> tuple[Plain, Any, int]:
    """Train until `rate`, the share of the learning rate at each step, is None."""
    ours, text, valid = parts(folder, seed)
    held_out = batches_of(ours, valid, 0)
    model, batches = Plain(), batches_of(ours, text, seed).ahead(0)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=RATE, betas=(0.9, 0.98), eps=1e-6, weight_decay=0.0,
        fused=side == "tuned",
    )  # fmt: skip
    state, steps = None, 0
    while (share := rate()) is not None:
        batch = next(batches).batch
        optimizer.param_groups[0]["lr"] = RATE * share
        with precision(side):
            loss, state = model(batch.inputs.ids, batch.targets["next"], carried(batch, state))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
    batches.close()
    return model, held_out, steps


def carried(batch: Any, state: State) -> State:
    if state is None or not batch.continues:
        return None
    return state[0].detach(), state[1].detach()


def precision(side: str) -> Any:
    return native_autocast() if side == "tuned" else torch.autocast("cpu", enabled=False)


@torch.inference_mode()
def their_loss(model: Plain, batches: Any) -> float:
    model.eval()
    state, losses = None, []
    for batch in in_order(batches):
        loss, state = model(batch.inputs.ids, batch.targets["next"], carried(batch, state))
        losses.append(float(loss))
    return sum(losses) / len(losses)


def in_order(batches: Any) -> Iterator[Any]:
    return (batches.batch(step) for step in range(batches.per_epoch))


def processor_time() -> float:
    return time.process_time() / torch.get_num_threads()


if __name__ == "__main__":
    main()
