"""One epoch of fine-tuning by one side, in a process of its own; figures as JSON.

``python -m benchmarks.finetuning_program foretext|tuned|shipped SIZE SEED``

Both sides learn the same rows from the same folder, in batches of 32 texts filled up to the longest
of the batch, with the dropout of BERT's states, linear warm-up and fall, and clipped gradients.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.labelled_texts import POOLING, TEXTS, LabelledTexts
from benchmarks.language_models import model_folder
from benchmarks.precision import has_bfloat16

NUM_ROWS = {"r8": 480, "imdb": 224}
WARM_ROWS = 64  # of a first training, which compiles and allocates
BATCH, RATE, WARMUP, DROPOUT = 32, 5e-4, 0.1, 0.1
Rows = list[tuple[str, str]]
Epoch = Callable[[Rows, LabelledTexts, Path, int], tuple[float, float]]  # seconds, mean loss


def main() -> None:
    side, size, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    epoch: Epoch = {"foretext": ours, "tuned": tuned, "shipped": shipped}[side]
    folder = model_folder(f"bert-{size}")
    figures = {}
    for texts in TEXTS:
        rows = texts.rows("train", NUM_ROWS[texts.name])
        epoch(rows[:: len(rows) // WARM_ROWS], texts, folder, seed)
        seconds, loss = epoch(rows, texts, folder, seed)
        figures[texts.name] = seconds
        figures[f"{texts.name} loss"] = loss
    print(json.dumps(figures))


def ours(rows: Rows, texts: LabelledTexts, folder: Path, seed: int) -> tuple[float, float]:
    """The training of `foretext finetune`, from its first step to its last."""
    from foretext.data.rows import LabelledText
    from foretext.finetuning.job import FinetuneJob
    from foretext.finetuning.network import NetworkLearner
    from foretext.finetuning.recipe import TaskRecipe
    from foretext.finetuning.task_rows import TaskRows
    from foretext.progress import MetricsLog
    from foretext.progress.run_context import RunContext
    from foretext.run_folder import RunFolder

    read = TaskRows([LabelledText(text, (label,), "") for label, text in rows], [], [])
    settings: dict[str, dict[str, Any]] = {
        "task": {"max_length": texts.max_length, "pooling": POOLING, "dropout": DROPOUT},
        "finetuning": {"body_dropout": DROPOUT},
        "training": {
            "epochs": 1.0,
            "batch_examples": BATCH,
            "learning_rate": RATE,
            "warmup_rate": WARMUP,
            "seed": 1 + seed,
        },
    }
    with tempfile.TemporaryDirectory() as place, MetricsLog(Path(place) / "log") as log:
        recipe = TaskRecipe("classification", folder, "rows", settings=settings)
        job = FinetuneJob(run=RunFolder(place), recipe=recipe)
        learner = NetworkLearner(job, settings).start(read)
        _, last = learner.train(read, 0, RunContext(Path(place), log=log))
        records = log.read()
    steps = [0, *(record["step"] for record in records)]
    losses = sum(
        record["loss"] * (record["step"] - before)
        for record, before in zip(records, steps, strict=False)
    )
    return last["time"], losses / last["step"]


def tuned(rows: Rows, texts: LabelledTexts, folder: Path, seed: int) -> tuple[float, float]:
    """`transformers.Trainer` at its best: bfloat16 if native, fused AdamW, texts of like length.

    No process beside it collates, as on two cores it would take time from the training; attention
    drops nothing, as ours does not, so that the fused attention has its fast path.
    """
    return theirs(
        rows, texts, folder, seed, attention_dropout=0.0,
        bf16=has_bfloat16(), optim="adamw_torch_fused", train_sampling_strategy="group_by_length",
    )  # fmt: skip


def shipped(rows: Rows, texts: LabelledTexts, folder: Path, seed: int) -> tuple[float, float]:
    """`transformers.Trainer` with its defaults: float32, texts in any order, BERT's dropout."""
    return theirs(rows, texts, folder, seed, attention_dropout=DROPOUT)


def theirs(
    rows: Rows,
    texts: LabelledTexts,
    folder: Path,
    seed: int,
    *,
    attention_dropout: float,
    **settings: Any,
) -> tuple[float, float]:
    """One epoch by `transformers.Trainer`, from its first step to its last."""
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
        set_seed,
    )

    logging.disable(logging.WARNING)
    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    labels = sorted({label for label, _ in rows})
    encoded = [
        {**tokenizer(text, truncation=True, max_length=texts.max_length), "label": labels.index(y)}
        for y, text in rows
    ]
    model = AutoModelForSequenceClassification.from_pretrained(
        folder,
        num_labels=len(labels),
        attn_implementation="sdpa",
        hidden_dropout_prob=DROPOUT,
        attention_probs_dropout_prob=attention_dropout,
    )
    with tempfile.TemporaryDirectory() as place:
        arguments = TrainingArguments(
            place,
            per_device_train_batch_size=BATCH,
            num_train_epochs=1,
            learning_rate=RATE,
            warmup_steps=WARMUP,  # below 1 it is a share of all steps
            seed=seed,
            use_cpu=True,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            **settings,
        )
        collate = DataCollatorWithPadding(tokenizer)
        trainer = Trainer(model, arguments, train_dataset=encoded, data_collator=collate)
        done = trainer.train()
    return float(done.metrics["train_runtime"]), done.training_loss


if __name__ == "__main__":
    main()
