"""One side of the GPU benchmark, in a process of its own; prints its figures as JSON.

BERT base on rows of 128 tokens, 256 a step: real training steps with masking, optimizer and
clipping. Both count the same operations, those of the layers at all positions and of the vocabulary
at the masked ones, so that utilizations compare as speeds do.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.peer_shapes import encoder_shape
from foretext.data.token_file import TokenFile
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.flops import ModelFlops, peak_flops

LAYERS, DIM, HEADS, ROWS, LENGTH, MASK_RATE = 12, 768, 12, 256, 128, 0.15
WARM, STEPS = 15, 60  # the first ones compile and allocate
RATE = 1e-4


def main() -> None:
    side, folder, seed = sys.argv[1], Path(sys.argv[2]), int((*sys.argv[3:], "0")[0])
    tokenizer = SubwordTokenizer.load(folder / "tokenizer.json")
    tokens = TokenFile.open(folder / "tokens" / "train")
    sides = {"foretext": ours, "eager": eager, "tuned": tuned}
    seconds, loss = sides[side](tokenizer, tokens, seed)
    done = ROWS * LENGTH * STEPS
    figures = {
        "seconds": seconds,
        "tokens_per_second": done / seconds,
        "utilization": operations(tokenizer, tokens) * STEPS / seconds / peak(),
        "loss": loss,  # of the last step, to see that it learns
        "gigabytes": torch.cuda.max_memory_allocated() / 1e9,
        "device": torch.cuda.get_device_name(),
    }
    print(json.dumps(figures))


def peak() -> float:
    """What products of large matrices reach on this device in bfloat16."""
    return peak_flops(torch.device("cuda"), torch.bfloat16, 1)


def operations(tokenizer: SubwordTokenizer, tokens: TokenFile) -> int:
    """Those of a step, by the formula of foretext's records."""
    model = our_model(tokenizer)
    batch = model.objective.examples(tokens).batch(
        np.arange(ROWS) * LENGTH, np.random.default_rng(0)
    )
    return ModelFlops(model).of(batch, model.objective.counts(batch))


def ours(
    tokenizer: SubwordTokenizer, tokens: TokenFile, seed: int, *, compiles: bool = True
) -> tuple[float, float]:
    """The loop as `foretext pretrain` runs it."""
    from foretext.progress.run_context import RunContext
    from foretext.training.loop import Training
    from foretext.training.settings import TrainingConfig

    torch.manual_seed(seed)
    model = our_model(tokenizer)
    settings = {
        "steps": WARM + STEPS,
        "batch_examples": ROWS,
        "learning_rate": RATE,
        "compile": compiles,
        "device": "cuda",
        "seed": seed,
    }
    config = TrainingConfig.checked(settings, "training")
    ends: list[float] = []

    class Timed(Training):
        def _step(self, part: Any) -> None:
            super()._step(part)
            if self.state.step in (WARM, WARM + STEPS):
                torch.cuda.synchronize()
                ends.append(time.perf_counter())

    history = Timed(model, model.objective.examples(tokens), config, RunContext(Path())).run()
    return ends[1] - ends[0], history[-1]["loss"]


def eager(tokenizer: SubwordTokenizer, tokens: TokenFile, seed: int) -> tuple[float, float]:
    """The same without `torch.compile`."""
    return ours(tokenizer, tokens, seed, compiles=False)


def our_model(tokenizer: SubwordTokenizer) -> Any:
    from foretext.backbones.transformer import Transformer
    from foretext.objectives.masked_lm import MaskedLM
    from foretext.training.model import Model

    shape = {"num_layers": LAYERS, "dim": DIM, "num_heads": HEADS, "max_length": LENGTH}
    backbone = Transformer(Transformer.Config.checked(shape, "backbone"), tokenizer.vocab_size)
    config = MaskedLM.Config.checked({"mask_rate": MASK_RATE, "row_length": LENGTH}, "objective")
    return Model(backbone, MaskedLM(config, backbone, tokenizer))


def tuned(tokenizer: SubwordTokenizer, tokens: TokenFile, seed: int) -> tuple[float, float]:
    """`transformers.Trainer` at its best; workers of its loader mask the rows."""
    from transformers import (
        BertConfig,
        BertForMaskedLM,
        DataCollatorForLanguageModeling,
        PreTrainedTokenizerFast,
        Trainer,
        TrainerCallback,
        TrainingArguments,
    )

    torch.manual_seed(seed)
    names = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("cls", "sep", "mask", "pad", "unk")}
    theirs = PreTrainedTokenizerFast(tokenizer_object=tokenizer.library, **names)
    shape = encoder_shape(
        vocab_size=tokenizer.vocab_size, layers=LAYERS, dim=DIM, heads=HEADS, length=LENGTH
    )
    config = BertConfig(**shape, attn_implementation="sdpa")
    ends: list[float] = []
    losses: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step in (WARM, WARM + STEPS):
                torch.cuda.synchronize()
                ends.append(time.perf_counter())

        def on_log(self, args: Any, state: Any, control: Any, logs: Any, **kwargs: Any) -> None:
            losses.append(logs.get("loss", logs.get("train_loss", 0.0)))

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            per_device_train_batch_size=ROWS,
            max_steps=WARM + STEPS,
            learning_rate=RATE,
            bf16=True,
            torch_compile=True,
            optim="adamw_torch_fused",
            dataloader_num_workers=4,
            dataloader_drop_last=True,
            report_to=[],
            save_strategy="no",
            logging_steps=WARM + STEPS,
            disable_tqdm=True,
            seed=seed,
        )
        Trainer(
            BertForMaskedLM(config),
            arguments,
            train_dataset=their_rows(tokenizer, tokens),
            data_collator=DataCollatorForLanguageModeling(theirs, mlm_probability=MASK_RATE),
            callbacks=[Clock()],
        ).train()
    return ends[1] - ends[0], losses[0]


def their_rows(tokenizer: SubwordTokenizer, tokens: TokenFile) -> list[dict[str, torch.Tensor]]:
    """The same text in rows of as many tokens, framed alike."""
    width = LENGTH - 2
    cls, sep = tokenizer.special.required("cls"), tokenizer.special.required("sep")
    num = min(len(tokens.ids) // width, (WARM + STEPS) * ROWS)
    rows = np.empty((num, LENGTH), np.int64)
    rows[:, 0], rows[:, -1] = cls, sep
    rows[:, 1:-1] = tokens.ids[: num * width].reshape(num, width)
    return [{"input_ids": row} for row in torch.from_numpy(rows)]


if __name__ == "__main__":
    main()
