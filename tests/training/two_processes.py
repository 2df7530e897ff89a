"""Train a small BERT in several ways; started by torchrun, in two processes."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch.distributed as dist
from torch.nn.utils import parameters_to_vector

from foretext.data.batch import Batch
from foretext.data.token_file import Tokens
from foretext.errors import Interrupted
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.loop import Training
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from tests.networks import bert

STOP_AT = 6  # a step between two records
LENGTH = {"steps": 12, "batch_examples": 15, "valid_steps": 4}
RATES = {"layer_decay": 0.8, "head_rate": 2.0}


class Stopped(Training):
    """A training that a signal reaches."""

    def _step(self, batch: Batch) -> None:
        super()._step(batch)
        if self.state.step == STOP_AT:
            self._stop("SIGTERM")


class Worst(HeldOutLoss):
    """Takes the first, and worst, loss for the best, so that the best weights are not the last."""

    higher_is_better = True


def train(
    folder: Path,
    run: str,
    kind: type[Training] = Training,
    *,
    resumes: bool = False,
    **settings: Any,
) -> list[dict[str, float]]:
    """Take tokenizer and tokens from `folder`; returns the records, and writes them and weights."""
    tokens = Tokens.open(folder / "tokens")
    model = bert(SubwordTokenizer.load(folder / "tokenizer.json"), next_sentence=True)
    assert tokens.valid is not None
    held_out = Worst(model.objective.examples(tokens.valid, held_out=True), 16)
    config = TrainingConfig(**{**LENGTH, **RATES, "precision": "fp32", **settings})
    examples = model.objective.examples(tokens.train)
    context = RunContext(folder, checkpoints=Checkpoints(folder / run / "checkpoints"))
    training = kind(model, examples, config, context, held_out)
    assert training.resume() == resumes
    history = training.run()
    processes = training.processes
    (folder / run).mkdir(exist_ok=True)
    weights = parameters_to_vector(model.parameters()).detach().numpy()
    np.save(folder / run / f"weights-{processes.rank}-of-{processes.size}.npy", weights)
    if processes.is_first:
        (folder / run / f"history-{processes.size}.json").write_text(json.dumps(history))
    return history


def stop(folder: Path, run: str, **settings: Any) -> None:
    """Leave a checkpoint."""
    with suppress(Interrupted):
        train(folder, run, Stopped, **settings)
    dist.barrier()  # until the first one has saved


def main(folder: Path) -> None:
    """Do all that the test compares."""
    stop(folder, "summed")
    train(folder, "summed", resumes=True)
    train(folder, "shared", shard=True)
    stop(folder, "stopped", shard=True)
    train(folder, "stopped", resumes=True, shard=True)
    stop(folder, "best", shard=True, keep="best", patience=2)
    train(folder, "best", resumes=True, shard=True, keep="best", patience=2)
    stop(folder, "left", shard=True, keep="best", patience=2)
    for shard in (False, True):
        train(folder, f"bf16-{shard}", precision="bf16", shard=shard, micro_batch_examples=4)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
