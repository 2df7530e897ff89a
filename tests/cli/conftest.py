"""A command line in the same process, and one run that the verbs are tried on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from foretext.cli import main
from foretext.messages import VARIABLE
from tests.vectors.texts import write_topics


class Outcome(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run ``foretext ARGUMENTS...`` as a shell would."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["foretext", *map(str, arguments)])
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as kept:
            kept.setenv(VARIABLE, os.environ.get(VARIABLE, "en"))  # --lang is of one command
            with pytest.raises(SystemExit) as stop:
                main()
        code = stop.value.code
        return Outcome(
            code if isinstance(code, int) else int(code is not None), *capsys.readouterr()
        )

    return run


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("cli") / "topics.txt")


@pytest.fixture(scope="session")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of word2vec on the topics."""
    import foretext as ft

    folder = tmp_path_factory.mktemp("run") / "run"
    ft.Word2Vec(
        vector_size=24, min_count=1, epochs=8, sample=0.0, alpha=0.05, workers=1, valid_rate=0.1
    ).fit(corpus, out=folder)
    return folder
