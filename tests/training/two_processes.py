"""Train small networks in several ways; started by torchrun, in two processes."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector

from foretext.base.errors import Interrupted
from foretext.data.examples import Examples
from foretext.data.rows import ParallelText, SentenceRow
from foretext.data.token_file import Tokens
from foretext.heads.base import TaskBase
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tasks.sentence_vectors.network import SentenceEncoder
from foretext.tasks.text_to_text.network import TextWriter
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training import records
from foretext.training.batches import Part
from foretext.training.loop import Training
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from tests.networks import bert, gpt, sentences
from tests.sequence_networks import model_of

TEXTS = sentences(20).split("\n")[:40:2]
STOP_AT = 6  # a step between two records
LENGTH = {"steps": 12, "batch_examples": 15, "valid_steps": 4}
RATES = {"layer_decay": 0.8, "head_rate": 2.0}
ONE_ROW: dict[str, Any] = {"batch_examples": 1}  # so that a process has nothing to learn from
TIED: dict[str, Any] = {"head_rate": 1.0}  # of a head without weights of its own


Material = tuple[Model, Examples, HeldOutLoss]


class Stopped(Training):
    """A training that a signal reaches."""

    def _step(self, part: Part) -> None:
        super()._step(part)
        if self.state.step == STOP_AT:
            self._stop("SIGTERM")


class Worst(HeldOutLoss):
    """Takes the first, and worst, loss for the best, so that the best weights are not the last."""

    higher_is_better = True


def of_bert(folder: Path) -> Material:
    """BERT, with next sentences."""
    return of_tokens(
        folder, bert(SubwordTokenizer.load(folder / "tokenizer.json"), next_sentence=True)
    )


def of_gpt(folder: Path) -> Material:
    """GPT, on BART's tokens."""
    tokenizer = SubwordTokenizer.load(folder / "bart" / "tokenizer.json")
    return of_tokens(folder / "bart", gpt(tokenizer))


def of_bart(folder: Path) -> Material:
    """BART."""
    tokenizer = SubwordTokenizer.load(folder / "bart" / "tokenizer.json")
    return of_tokens(folder / "bart", model_of("text_infilling", tokenizer))


def of_tokens(folder: Path, model: Model) -> Material:
    """A pretraining."""
    tokens = Tokens.open(folder / "tokens")
    assert tokens.valid is not None
    held_out = Worst(model.objective.examples(tokens.valid, held_out=True), 16)
    return model, model.objective.examples(tokens.train), held_out


def of_pairs(folder: Path) -> Material:
    """Text-to-text on a BART with random weights."""
    tokenizer = SubwordTokenizer.load(folder / "bart" / "tokenizer.json")
    made = model_of("text_infilling", tokenizer)
    base = TaskBase(tokenizer, made.backbone, "causal", objective=made.objective)
    rows = [ParallelText(text, " ".join(reversed(text.split())), "") for text in TEXTS]
    config = TextWriter.task.head_config(max_length=24)
    writer = TextWriter.begin(base, config, rows)
    examples = writer.examples(rows)
    return Model(base.backbone, writer.head), examples, Worst(examples, 16)


def of_sentences(folder: Path) -> Material:
    """Sentence vectors, whose loss compares the texts of all processes."""
    tokenizer = SubwordTokenizer.load(folder / "tokenizer.json")
    base = TaskBase(tokenizer, bert(tokenizer).backbone, "full")
    rows = [SentenceRow(text, " ".join(reversed(text.split())), None, None, "") for text in TEXTS]
    encoder = SentenceEncoder.begin(base, SentenceEncoder.task.head_config(max_length=24), rows)
    examples = encoder.examples(rows)
    return Model(base.backbone, encoder.head), examples, Worst(examples, 16)


def train(
    folder: Path,
    run: str,
    kind: type[Training] = Training,
    *,
    resumes: bool = False,
    **settings: Any,
) -> list[dict[str, float]]:
    """Take what is learned from `folder`; returns the records, and writes them and weights."""
    model, examples, held_out = MATERIALS.get(run.partition("-")[0], of_bert)(folder)
    config = TrainingConfig(**{**LENGTH, **RATES, "precision": "fp32", **settings})
    context = RunContext(folder, checkpoints=Checkpoints(folder / run / "checkpoints"))
    training = kind(model, examples, config, context, held_out)
    assert training.resume() == resumes
    # A busy machine makes further records, by time, which would divide the losses otherwise.
    with patch.object(records, "RECORD_SECONDS", 1e9):
        history = training.run()
    processes = training.processes
    (folder / run).mkdir(exist_ok=True)
    weights = parameters_to_vector(model.parameters()).detach().cpu().numpy()
    np.save(folder / run / f"weights-{processes.rank}-of-{processes.size}.npy", weights)
    if processes.is_first:
        (folder / run / f"history-{processes.size}.json").write_text(json.dumps(history))
    return history


MATERIALS = {"gpt": of_gpt, "bart": of_bart, "pairs": of_pairs, "sentences": of_sentences}
SHARDINGS = ("none", "optimizer", "full")


def stop(folder: Path, run: str, **settings: Any) -> None:
    """Leave a checkpoint."""
    with suppress(Interrupted):
        train(folder, run, Stopped, **settings)
    dist.barrier()  # until the first one has saved


def train_few(folder: Path) -> None:
    """Every sharing of BERT, resumed."""
    stop(folder, "summed")
    train(folder, "summed", resumes=True)
    train(folder, "shared", sharding="optimizer")
    stop(folder, "stopped", sharding="optimizer")
    train(folder, "stopped", resumes=True, sharding="optimizer")
    stop(folder, "left", sharding="optimizer", keep="best", patience=2)
    train(folder, "full", sharding="full", micro_batch_examples=4, gradient_checkpointing=True)
    stop(folder, "full_best", sharding="full", keep="best", patience=2)
    train(folder, "full_best", resumes=True, sharding="full", keep="best", patience=2)


def train_more(folder: Path) -> None:
    """Other precisions, batches and models."""
    for run in ("best", "left_best"):
        stop(folder, run, sharding="optimizer", keep="best", patience=2)
    train(folder, "best", resumes=True, sharding="optimizer", keep="best", patience=2)
    for sharding in SHARDINGS:
        bf16 = {"precision": "bf16", "micro_batch_examples": 4}
        train(folder, f"bf16-{sharding}", sharding=sharding, **bf16)
    for sharding in ("none", "full"):
        train(folder, f"idle-{sharding}", sharding=sharding, **ONE_ROW)
    for name in ("bart", "gpt"):
        train(folder, f"{name}-full", sharding="full", **TIED)
    for name in MATERIALS:
        train(folder, f"{name}-whole", **TIED)
        stop(folder, f"{name}-stopped", **TIED)
        train(folder, f"{name}-stopped", resumes=True, **TIED)


if __name__ == "__main__":
    {"few": train_few, "more": train_more}[sys.argv[2]](Path(sys.argv[1]))
