"""Processes on GPUs, over NCCL, find the losses that one process on the processor finds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from foretext.data.token_file import Tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.networks import encode
from tests.sequence_networks import tokenizer_of
from tests.training.cuda_processes import KINDS
from tests.training.test_processes import assert_alike, figures, weights
from tests.training.two_processes import SHARDINGS, TIED, train

pytestmark = pytest.mark.cuda
ROOT = str(Path(__file__).parents[2])


@pytest.fixture(scope="module", params=[1, 2])
def trained(
    request: pytest.FixtureRequest,
    wordpiece: SubwordTokenizer,
    bert_tokens: Tokens,
    animal_text: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, int]:
    """The folder that so many processes wrote to, each on a GPU of its own."""
    if torch.cuda.device_count() < request.param:
        pytest.skip(f"{request.param} processes need as many GPUs")
    folder = tmp_path_factory.mktemp("gpus")
    shutil.copytree(bert_tokens.train.folder.parent, folder / "tokens")
    wordpiece.save(folder / "tokenizer.json")
    tokenizer = tokenizer_of("text_infilling", animal_text)
    encode(animal_text, tokenizer, folder / "bart" / "tokens")
    tokenizer.save(folder / "bart" / "tokenizer.json")
    start = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={request.param}"]
    subprocess.run(
        [sys.executable, *start, str(Path(__file__).with_name("cuda_processes.py")), str(folder)],
        check=True,
        timeout=900,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])},
    )
    for kind in KINDS:
        train(folder, f"{kind}-cpu", device="cpu", **TIED)
    return folder, request.param


@pytest.mark.parametrize("sharding", SHARDINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_losses_are_those_of_the_processor(
    trained: tuple[Path, int], kind: str, sharding: str
) -> None:
    folder, size = trained
    run, on_processor = f"{kind}-{sharding}", weights(folder, f"{kind}-cpu", "0-of-1")
    assert_alike(figures(folder, run, size), figures(folder, f"{kind}-cpu", 1), 1e-3)
    for rank in range(size):
        found = weights(folder, run, f"{rank}-of-{size}")
        assert np.abs(found - on_processor).mean() < 1e-4
        assert np.array_equal(found, weights(folder, run, f"0-of-{size}"))


def test_two_processes_resume(trained: tuple[Path, int]) -> None:
    folder, size = trained
    if size == 1:
        pytest.skip("one process stops and resumes on every device, in tests of the loop")
    assert_alike(figures(folder, "bert-stopped", size), figures(folder, "bert-full", size), 1e-5)
    whole = weights(folder, "bert-full")
    assert weights(folder, "bert-stopped") == pytest.approx(whole, abs=1e-5)
