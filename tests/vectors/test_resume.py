"""A training that was interrupted, however rudely, ends in the same bits as one that was not."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import OutputError, SettingError
from foretext.data.token_writer import write_tokens
from foretext.progress.checkpoint import Checkpoints
from foretext.progress.run_context import RunContext
from foretext.recipe import Recipe
from foretext.tokenizers import WordTokenizer
from foretext.vectors import VECTORS
from tests.processes import run_here, started, wait_for_records
from tests.vectors.texts import write_topics

SETTINGS = [
    "vectors.workers=1",
    "vectors.epochs=200",
    "vectors.vector_size=64",
    "vectors.checkpoint_seconds=0",
    "tokenizer.min_count=1",
]
NUM_RECORDS = 50


def command(corpus: Path, run: Path, *more: str) -> list[str]:
    settings = [part for setting in SETTINGS for part in ("--set", setting)]
    verb = [sys.executable, "-m", "foretext", "pretrain", "word2vec", str(corpus)]
    return [*verb, "--output", str(run), "--no-report", *settings, *more]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("resume") / "topics.txt", documents=300)


@pytest.fixture(scope="module")
def unbroken(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    run_here(command(corpus, run))
    return run


def stop_early(corpus: Path, run: Path, number: signal.Signals) -> tuple[int, str]:
    """Start a run and send the signal once a few records are there; exit code and last words."""
    with started(command(corpus, run), stderr=subprocess.PIPE, text=True) as process:
        wait_for_records(process, run, 5)
        os.kill(process.pid, number)
        _, words = process.communicate(timeout=60)
    return process.returncode, words


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_resumed_equals_unbroken(
    corpus: Path, unbroken: Path, tmp_path: Path, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    code, words = stop_early(corpus, run, number)
    assert not (run / "config.json").exists()
    assert list((run / "checkpoints").glob("step-*"))
    if number is not signal.SIGKILL:
        assert code == 130
        assert "go on with --resume" in words
    run_here(command(corpus, run, "--resume"))
    first, second = ft.load(unbroken), ft.load(run)
    assert first.index_to_key == second.index_to_key
    np.testing.assert_array_equal(first.vectors, second.vectors)
    assert not (run / "checkpoints").exists()
    losses = [
        [json.loads(line)["loss"] for line in (folder / "metrics.jsonl").read_text().splitlines()]
        for folder in (unbroken, run)
    ]
    assert len(losses[0]) == NUM_RECORDS
    assert losses[0] == losses[1]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_while_counting_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """The text comes through a pipe that never ends, so the run is still reading it."""
    run = tmp_path / "run"
    process = subprocess.Popen(
        command(Path("-"), run), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write("some words that never end " * 100)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not run.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(process.pid, number)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 130, words
    assert "stopped" in words.lower()
    assert not run.exists()


def test_resume_with_other_settings_is_refused(corpus: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    stop_early(corpus, run, signal.SIGKILL)
    with pytest.raises(SettingError, match=r"began with tokenizer\.min_count = 1, not 5"):
        ft.pretrain("word2vec", corpus, run, resume=True)
    with pytest.raises(OutputError, match="an unfinished run; go on with --resume"):
        ft.pretrain("word2vec", corpus, run)


@pytest.mark.slow
def test_a_refused_resume_removes_nothing(corpus: Path, tmp_path: Path) -> None:
    """Killed before its first checkpoint, a run still has its recipe and its tokens."""
    run = tmp_path / "run"
    stop_early(corpus, run, signal.SIGKILL)
    shutil.rmtree(run / "checkpoints")
    with pytest.raises(SettingError, match="began with"):
        ft.pretrain("word2vec", corpus, run, resume=True)
    assert (run / "tokens" / "train" / "ids.bin").is_file()
    run_here(command(corpus, run, "--resume"))
    assert ft.load(run).vector_size == 64


def test_nothing_to_resume(unbroken: Path, corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="holds no run to resume"):
        ft.pretrain("word2vec", corpus, tmp_path / "none", resume=True)
    with pytest.raises(OutputError, match="nothing to resume"):
        ft.pretrain("word2vec", corpus, unbroken, resume=True)


@pytest.mark.parametrize(
    ("name", "loss"),
    [("word2vec", "ns"), ("word2vec", "hs"), ("fasttext", "ns"), ("doc2vec", "hs")],
)
def test_resumed_with_another_number_of_workers(
    corpus: Path, tmp_path: Path, name: str, loss: str
) -> None:
    recipe = Recipe.load("word2vec", ["tokenizer.min_count=1"])
    texts = ft.Corpus(corpus, recipe.corpus)
    tokenizer = WordTokenizer.learn(recipe.tokenizer, texts)
    tokens = write_tokens(texts, tokenizer, tmp_path / "tokens")
    kind = VECTORS.resolve(name)
    models: list[Any] = []
    for workers in (3, 1, 2):
        config = kind.Config(epochs=1, vector_size=16, loss=loss, workers=workers)
        model = kind(config, tokenizer.vocabulary, tokens)
        # Nothing is left to learn for the second and the third: they end where the first one did.
        model.train(RunContext(tmp_path, checkpoints=Checkpoints(tmp_path), resume=bool(models)))
        models.append(model)
    for model in models[1:]:
        for key, array in models[0].arrays().items():
            np.testing.assert_array_equal(model.arrays()[key], array)
