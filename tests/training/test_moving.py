"""A training goes on in another number of processes, and after one of them was killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from foretext.data.token_file import Tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.training.moving import move

SHARDINGS = ("optimizer", "full")


@pytest.fixture(scope="module")
def folder(
    wordpiece: SubwordTokenizer, bert_tokens: Tokens, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("moving")
    shutil.copytree(bert_tokens.train.folder.parent, folder / "tokens")
    wordpiece.save(folder / "tokenizer.json")
    move(folder, "none")
    return folder


def torchrun(count: int, *arguments: object, restarts: int = 0) -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += [f"--nproc-per-node={count}", f"--max-restarts={restarts}"]
    script = Path(__file__).with_name("moving.py")
    done = subprocess.run(
        [*command, str(script), *map(str, arguments)],
        check=False,
        timeout=900,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OMP_NUM_THREADS": "1"},
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def assert_as_unbroken(folder: Path, run: str) -> None:
    expected = torch.load(folder / "none.pt")
    torch.testing.assert_close(torch.load(folder / f"{run}.pt"), expected, rtol=0, atol=1e-6)


@pytest.mark.slow
def test_one_process_then_four_then_two(folder: Path) -> None:
    for run in SHARDINGS:
        move(folder, run, 2)
    torchrun(4, folder, 4, "whole", *SHARDINGS)
    torchrun(2, folder, 6, "whole", *SHARDINGS)
    for run in SHARDINGS:
        assert_as_unbroken(folder, run)


@pytest.mark.slow
def test_torchrun_goes_on_after_a_process_was_killed(folder: Path) -> None:
    torchrun(2, folder, 6, "killed", "full-killed", restarts=1)
    assert_as_unbroken(folder, "full-killed")
