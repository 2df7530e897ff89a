"""Train a BERT from one checkpoint to the next; started alone or by torchrun."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import torch
from torch.nn.utils import parameters_to_vector

from foretext.base.errors import Interrupted
from foretext.base.runtime import num_restarts
from foretext.data.token_file import Tokens
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Part
from foretext.training.loop import Training
from foretext.training.settings import TrainingConfig
from tests.networks import bert

NUM_STEPS = 6
KILLED_AT = 4


class Short(Training):
    """A training that stops at a step; or one process of it is killed there, the first time."""

    until = NUM_STEPS
    is_killed = False

    def _step(self, part: Part) -> None:
        first_time = self.is_killed and not num_restarts()
        if first_time and self.processes.rank == 1 and self.state.step == KILLED_AT:
            os.kill(os.getpid(), signal.SIGKILL)
        super()._step(part)
        if self.state.step == self.until < NUM_STEPS:
            self._stop("SIGTERM")


def move(folder: Path, run: str, until: int = NUM_STEPS, *, is_killed: bool = False) -> None:
    """Go on to a step; at the last one the weights are written.

    Args:
        folder: of tokenizer and tokens.
        run: a kind of sharding and, after a dash, anything.
        until: the step to stop at.
        is_killed: whether a process is killed on the way.
    """
    tokenizer = SubwordTokenizer.load(folder / "tokenizer.json")
    model = bert(tokenizer)
    examples = model.objective.examples(Tokens.open(folder / "tokens").train)
    config = TrainingConfig(
        steps=NUM_STEPS,
        batch_examples=10,
        precision="fp32",
        checkpoint_seconds=0.0 if is_killed else 300.0,
        sharding=run.partition("-")[0],  # type: ignore[arg-type]
    )
    context = RunContext(folder, checkpoints=Checkpoints(folder / run / "checkpoints"))
    training = Short(model, examples, config, context)
    training.until, training.is_killed = until, is_killed
    resumed = training.resume()
    assert resumed or not num_restarts()
    try:
        training.run()
    except Interrupted:
        if is_killed:
            raise
        return
    if training.processes.is_first:
        torch.save(parameters_to_vector(model.parameters()).detach(), folder / f"{run}.pt")


if __name__ == "__main__":
    for name in sys.argv[4:]:
        move(Path(sys.argv[1]), name, int(sys.argv[2]), is_killed=sys.argv[3] == "killed")
