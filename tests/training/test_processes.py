"""Two processes under torchrun, stopped on the way and resumed, find the losses that one finds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist

from foretext.base.errors import SettingError
from foretext.data.token_file import Tokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training import processes
from tests.networks import encode
from tests.sequence_networks import tokenizer_of
from tests.training.two_processes import LENGTH, MATERIALS, ONE_ROW, TIED, train

FIGURES = ("loss", "masked_lm_loss", "next_sentence_loss", "gradient_norm", "valid_loss")
BEST = {"sharding": "optimizer", "keep": "best", "patience": 2}


@pytest.fixture(scope="module")
def trained(
    wordpiece: SubwordTokenizer,
    bert_tokens: Tokens,
    animal_text: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder that two processes wrote to, whatever they were asked for."""
    folder = tmp_path_factory.mktemp("processes")
    shutil.copytree(bert_tokens.train.folder.parent, folder / "tokens")
    wordpiece.save(folder / "tokenizer.json")
    bart = tokenizer_of("text_infilling", animal_text)
    encode(animal_text, bart, folder / "bart" / "tokens")
    bart.save(folder / "bart" / "tokenizer.json")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    script = Path(__file__).with_name("two_processes.py")
    root = str(Path(__file__).parents[2])
    subprocess.run(
        [*command, str(script), str(folder)],
        check=True,
        timeout=900,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
    )
    return folder


def weights(folder: Path, run: str, process: str = "0-of-2") -> np.ndarray:
    return np.load(folder / run / f"weights-{process}.npy")


def figures(folder: Path, run: str, size: int = 2) -> list[dict[str, float]]:
    """The records of a run, without those of time."""
    history = json.loads((folder / run / f"history-{size}.json").read_text())
    return [
        {name: record[name] for name in ("step", *FIGURES) if name in record} for record in history
    ]


def assert_alike(ours: list[dict[str, float]], theirs: list[dict[str, float]], rel: float) -> None:
    assert len(ours) == len(theirs)
    for one, two in zip(ours, theirs, strict=True):
        assert one == pytest.approx(two, rel=rel)


def test_two_processes_are_as_one(trained: Path) -> None:
    train(trained, "alone")
    assert_alike(figures(trained, "summed"), figures(trained, "alone", 1), 2e-5)
    assert_alike(figures(trained, "shared"), figures(trained, "alone", 1), 2e-5)
    alone = weights(trained, "alone", "0-of-1")
    assert alone == pytest.approx(weights(trained, "shared"), abs=1e-5)


@pytest.mark.parametrize(
    ("run", "whole"),
    [("shared", "summed"), ("bf16-optimizer", "bf16-none"), ("bf16-full", "bf16-none")],
)
def test_a_shared_optimizer_changes_nothing(trained: Path, run: str, whole: str) -> None:
    assert_alike(figures(trained, run), figures(trained, whole), 1e-6)
    assert weights(trained, run) == pytest.approx(weights(trained, whole), abs=1e-6)


def test_every_process_ends_with_all_weights(trained: Path) -> None:
    for run in ("shared", "best", "bf16-optimizer", "full", "bf16-full"):
        assert np.array_equal(weights(trained, run, "0-of-2"), weights(trained, run, "1-of-2"))


def test_slices_resume_in_the_same_bits(trained: Path) -> None:
    assert figures(trained, "stopped") == figures(trained, "shared")
    assert np.array_equal(weights(trained, "stopped"), weights(trained, "shared"))


def test_shared_weights_change_nothing(trained: Path) -> None:
    """In micro-batches, of which the processes have different numbers, and computed twice."""
    assert_alike(figures(trained, "full"), figures(trained, "summed"), 1e-5)
    assert weights(trained, "full") == pytest.approx(weights(trained, "summed"), abs=1e-6)
    assert_alike(figures(trained, "full_best"), figures(trained, "best"), 1e-5)
    assert weights(trained, "full_best") == pytest.approx(weights(trained, "best"), abs=1e-6)


def test_a_process_without_rows_learns_what_the_other_learns(trained: Path) -> None:
    history = train(trained, "idle-alone", **ONE_ROW)
    for run in ("idle-none", "idle-full"):
        assert_alike(figures(trained, run), figures(trained, "idle-alone", 1), 2e-5)
        alone = weights(trained, "idle-alone", "0-of-1")
        assert weights(trained, run, "1-of-2") == pytest.approx(alone, abs=1e-5)
        found = json.loads((trained / run / "history-2.json").read_text())
        assert found[-1]["tokens"] == history[-1]["tokens"]


@pytest.mark.parametrize("kind", ["bart", "gpt"])
def test_other_models_share_weights(trained: Path, kind: str) -> None:
    assert_alike(figures(trained, f"{kind}-full"), figures(trained, f"{kind}-whole"), 1e-5)
    whole = weights(trained, f"{kind}-whole")
    assert weights(trained, f"{kind}-full") == pytest.approx(whole, abs=2e-6)
    assert np.array_equal(
        weights(trained, f"{kind}-full", "1-of-2"), weights(trained, f"{kind}-full")
    )


@pytest.mark.parametrize("kind", MATERIALS)
def test_other_models_learn_in_two_processes_as_in_one(trained: Path, kind: str) -> None:
    train(trained, f"{kind}-alone", **TIED)
    assert_alike(figures(trained, f"{kind}-whole"), figures(trained, f"{kind}-alone", 1), 2e-4)
    alone = weights(trained, f"{kind}-alone", "0-of-1")
    assert weights(trained, f"{kind}-whole") == pytest.approx(alone, abs=1e-4)
    assert figures(trained, f"{kind}-stopped") == figures(trained, f"{kind}-whole")
    resumed = weights(trained, f"{kind}-stopped")
    assert np.array_equal(resumed, weights(trained, f"{kind}-whole"))
    assert np.array_equal(resumed, weights(trained, f"{kind}-stopped", "1-of-2"))


def test_the_best_weights_come_back(trained: Path) -> None:
    """Of two processes, and of one that goes on where two stopped."""
    train(trained, "alone-best", **BEST)
    train(trained, "left", resumes=True, **BEST)
    alone = weights(trained, "alone-best", "0-of-1")
    assert figures(trained, "best")[-1]["step"] == LENGTH["steps"]
    assert_alike(figures(trained, "left", 1), figures(trained, "best"), 2e-5)
    assert weights(trained, "best") == pytest.approx(alone, abs=1e-5)
    assert np.array_equal(weights(trained, "left", "0-of-1"), weights(trained, "best"))
    assert np.abs(alone - weights(trained, "shared")).max() > 1e-3  # those are the last


def test_processes_that_do_not_meet_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise dist.DistNetworkError("connection refused\nand more")

    for name, value in {"WORLD_SIZE": "2", "MASTER_ADDR": "there", "MASTER_PORT": "29500"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(processes, "rendezvous", refuse)
    with pytest.raises(SettingError, match=r"meet at there:29500 \(connection refused\); check"):
        processes.Processes(torch.device("cpu"))
