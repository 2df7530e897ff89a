"""Train a small BERT; started by torchrun, it does so in several processes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from foretext.data.token_file import Tokens
from foretext.progress.workplace import Workplace
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.loop import Training
from foretext.training.settings import TrainingConfig
from foretext.training.validation import HeldOutLoss
from tests.networks import bert


def train(folder: Path) -> list[dict[str, float]]:
    """Take tokenizer and tokens from `folder`; returns the records."""
    tokens = Tokens.open(folder / "tokens")
    model = bert(SubwordTokenizer.load(folder / "tokenizer.json"), next_sentence=True)
    assert tokens.valid is not None
    held_out = HeldOutLoss(model.objective.examples(tokens.valid, held_out=True), 16)
    length = {"steps": 12, "batch_examples": 15, "valid_steps": 4}
    config = TrainingConfig(**length, precision="fp32", layer_decay=0.8, head_rate=2.0)
    examples = model.objective.examples(tokens.train)
    training = Training(model, examples, config, Workplace(folder), held_out)
    history = training.run()
    if training.processes.is_first:
        (folder / f"history-{training.processes.size}.json").write_text(json.dumps(history))
    return history


if __name__ == "__main__":
    train(Path(sys.argv[1]))
