"""Finished runs of every kind, each made once in a test process by the command line itself."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import torch

from foretext.interop.sentence_transformers import SentenceEncoding, write_modules
from foretext.nn.pooling import Dense
from tests.audit.kill_stages import STAGES, write_inputs
from tests.task_files import TaskFiles

__all__ = ["KINDS", "QUIETLY", "SHORTLY", "copied", "finished", "inputs", "run_verb"]

RUNS = (
    "word2vec", "fasttext", "doc2vec", "lda", "bert", "electra", "gpt", "autoencoder",
    "classification", "matching", "tagging", "span_qa", "fasttext classifier", "linear classifier",
    "embedding classifier", "linear matcher", "linear tagger",
)  # fmt: skip
KINDS = (*RUNS, "sentence encoder", "task of bert")
QUIETLY = ("--quiet", "--no-report")
SHORTLY = ("--set", "training.steps=2", "--set", "training.batch_examples=8")


def run_verb(*arguments: object) -> object:
    """Run ``foretext ARGUMENTS...``; its errors are raised."""
    from foretext.cli.app import app

    return app([str(each) for each in arguments], standalone_mode=False)


@cache
def inputs() -> Path:
    """What the runs learned from."""
    folder = _temporary()
    write_inputs(folder)
    return folder


@cache
def finished(kind: str) -> Path:
    """The folder of a finished run; it is not to be changed."""
    folder = _temporary() / "run"
    if kind == "sentence encoder":
        shutil.copytree(finished("bert"), folder)
        _make_sentence_encoder(folder)
    elif kind == "task of bert":
        rows = TaskFiles(inputs()).train("classification")
        given = ("finetune", "classification", finished("bert"), rows, *SHORTLY, *QUIETLY)
        run_verb(*given, "-o", folder)
    else:
        stage = next(stage for stage in STAGES if stage.name == kind)
        run_verb(*stage.arguments(inputs()), "-o", folder, *QUIETLY)
    return folder


def copied(kind: str, place: Path) -> Path:
    """A copy of a finished run that may be changed."""
    return Path(shutil.copytree(finished(kind), place / "run"))


def _make_sentence_encoder(folder: Path) -> None:
    dim = json.loads((folder / "config.json").read_text())["hidden_size"]
    layer = Dense(torch.eye(dim)[:5], torch.ones(5), "tanh")
    write_modules(folder, SentenceEncoding("mean", (layer,), True, 24), dim)


def _temporary() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="foretext-audit-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
