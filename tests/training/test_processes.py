"""Two processes under torchrun, stopped on the way and resumed, find the losses that one finds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from foretext.data.token_file import Tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.training.two_processes import train

FIGURES = ("loss", "masked_lm_loss", "next_sentence_loss", "gradient_norm", "valid_loss")


def test_two_processes_are_as_one(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, tmp_path: Path
) -> None:
    shutil.copytree(bert_tokens.train.folder.parent, tmp_path / "tokens")
    wordpiece.save(tmp_path / "tokenizer.json")
    alone = train(tmp_path)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    script = Path(__file__).with_name("two_processes.py")
    root = str(Path(__file__).parents[2])
    subprocess.run(
        [*command, str(script), str(tmp_path)],
        check=True,
        timeout=120,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
    )
    together = json.loads((tmp_path / "history-2.json").read_text())
    assert len(together) == len(alone)
    for one, two in zip(alone, together, strict=True):
        for name in FIGURES:
            if name in one:
                assert two[name] == pytest.approx(one[name], rel=2e-5), (name, one["step"])
