"""Train a small BERT; started by torchrun, in several processes, and stopped on the way."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from pathlib import Path

import torch.distributed as dist

from foretext.data.batch import Batch
from foretext.data.token_file import Tokens
from foretext.errors import Interrupted
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.workplace import Workplace
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.loop import Training
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from tests.networks import bert

STOP_AT = 6  # a step between two records


class Stopped(Training):
    """A training that a signal reaches."""

    def _step(self, batch: Batch) -> None:
        super()._step(batch)
        if self.state.step == STOP_AT:
            self._stop("SIGTERM")


def train(folder: Path, kind: type[Training] = Training) -> list[dict[str, float]]:
    """Take tokenizer and tokens from `folder`; returns the records."""
    tokens = Tokens.open(folder / "tokens")
    model = bert(SubwordTokenizer.load(folder / "tokenizer.json"), next_sentence=True)
    assert tokens.valid is not None
    held_out = HeldOutLoss(model.objective.examples(tokens.valid, held_out=True), 16)
    length = {"steps": 12, "batch_examples": 15, "valid_steps": 4}
    config = TrainingConfig(**length, precision="fp32", layer_decay=0.8, head_rate=2.0)
    examples = model.objective.examples(tokens.train)
    place = Workplace(folder, checkpoints=Checkpoints(folder / "checkpoints"))
    training = kind(model, examples, config, place, held_out)
    resumed = training.resume()
    assert resumed == (kind is Training and training.processes.size > 1)
    history = training.run()
    if training.processes.is_first:
        (folder / f"history-{training.processes.size}.json").write_text(json.dumps(history))
    return history


if __name__ == "__main__":
    with suppress(Interrupted):
        train(Path(sys.argv[1]), Stopped)
    dist.barrier()  # until the first one has saved
    train(Path(sys.argv[1]))
