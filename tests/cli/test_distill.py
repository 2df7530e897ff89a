"""`foretext distill`: static vectors of a model, which other verbs then open."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command
from tests.language_model.models import bert


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teacher") / "bert"
    bert().save(folder)
    return folder


@pytest.mark.slow
def test_what_it_says(command: Command, teacher: Path, corpus: Path, tmp_path: Path) -> None:
    done = command("distill", teacher, "-o", tmp_path / "static", "--corpus", corpus, "--dim", 5)
    assert done.code == 0, done.err
    assert " tokens, 5 dimensions after 400 texts in " in done.out
    assert done.out.endswith(f": {tmp_path / 'static'}\n")
    again = command("distill", teacher, "-o", tmp_path / "static")
    assert (again.code, "exists" in again.err) == (2, True)
    assert command("distill", teacher, "-o", tmp_path / "static", "--overwrite").code == 0


@pytest.mark.slow
def test_other_verbs_open_it(command: Command, teacher: Path, tmp_path: Path) -> None:
    static = tmp_path / "static"
    assert command("distill", teacher, "-o", static, "--dim", 6, "--dtype", "int8").code == 0
    (tmp_path / "texts.txt").write_text("the ship\nthe king\n")
    (tmp_path / "pairs.txt").write_text("ship sea 9\nking sea 1\nkingship queen 2\n")
    embedded = tmp_path / "embedded.npy"
    assert command("embed", static, tmp_path / "texts.txt", "-o", embedded).code == 0
    assert np.load(embedded).shape == (2, 6)
    shown = json.loads(command("neighbors", static, "Ship", "--json").out)
    assert len(next(iter(shown.values()))) == 10
    figures = json.loads(command("evaluate", static, tmp_path / "pairs.txt", "--json").out)
    assert next(iter(figures.values()))["pairs"] == 3
    assert command("convert", static, tmp_path / "vectors.txt").code == 0
    assert command("reduce", static, tmp_path / "small.txt", "--dim", 3).code == 0
    report = command("report", static)
    assert (report.code, "there is nothing to report" in report.err) == (2, True)


def test_options_without_effect(command: Command, teacher: Path, tmp_path: Path) -> None:
    done = command("distill", teacher, "-o", tmp_path / "static", "--num-texts", 5)
    assert done.code == 2
    assert "--num-texts has no effect without --corpus" in done.err


def test_a_smaller_network(command: Command, teacher: Path, corpus: Path, tmp_path: Path) -> None:
    student = tmp_path / "student"
    asked = ("distill", teacher, "-o", student, "--into", "network", "--corpus", corpus)
    steps = ("--set", "training.steps=2", "--set", "training.valid_steps=2")
    done = command(*asked, "--layers", 1, *steps, "--json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["output"], result["layers"]) == (str(student), 1)
    assert result["valid_loss"] > 0
    filled = command("fill", student, "the [MASK]", "--json")
    assert filled.code == 0, filled.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--layers", 1), "--layers has no effect on --into static"),
        (("--into", "network", "--dim", 4), "--dim has no effect on --into network"),
        (("--into", "network", "--layers", 1), "--into network needs --corpus."),
        (("--into", "network", "--corpus", "a.txt"), "--into network needs --layers."),
    ],
)
def test_options_of_the_other_form(
    options: tuple[object, ...], sentence: str, command: Command, teacher: Path, tmp_path: Path
) -> None:
    done = command("distill", teacher, "-o", tmp_path / "out", *options)
    assert done.code == 2
    assert sentence in " ".join(done.err.split())
