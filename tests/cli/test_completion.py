from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from foretext.base.registry import imported
from foretext.cli.completion import settings_in_source
from foretext.finetuning.setting_groups import known_names, setting_groups
from tests.cli.conftest import Command

Complete = Callable[[str], list[str]]

GROUPS = [group for name in known_names() for group in setting_groups(name)]
CLASSES = sorted({path for group in GROUPS for path in group.classes.values()})


@pytest.fixture
def complete(command: Command, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """What bash offers after a line; its last word is not finished."""

    def offers(line: str) -> list[str]:
        for name, value in environment(line).items():
            monkeypatch.setenv(name, value)
        done = command()
        assert (done.code, done.err) == (0, "")
        return done.out.split()

    return offers


def environment(line: str) -> dict[str, str]:
    number = len(line.split(" ")) - 1
    return {
        "COMP_WORDS": line,
        "COMP_CWORD": str(number),
        "_FORETEXT_COMPLETE": "complete_bash",
    }


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("foretext fi", ["finetune", "fill"]),
        ("foretext evaluate --restrict", ["--restrict-vocab"]),
        ("foretext pretrain word", ["word2vec"]),
        ("foretext pretrain glove", ["glove"]),
        ("foretext pretrain bert-s", ["bert-small"]),
        ("foretext pretrain lstm-lm", ["lstm-lm"]),
        ("foretext plan mod", ["modern-bert", "modern-gpt"]),
        ("foretext finetune ma", ["matching"]),
        ("foretext finetune classification l", ["lookup", "lstm", "lstm-attention", "linear"]),
        ("foretext pretrain word2vec x --set vectors.w", ["vectors.workers=", "vectors.window="]),
        (
            "foretext pretrain bert-mini x --set objective.ma",
            ["objective.mask_rate=", "objective.mask_token_rate=", "objective.max_ngram="],
        ),
        ("foretext pretrain nonsense x --set v", []),
        (
            "foretext finetune classification linear x --set linear.m",
            ["linear.min_texts=", "linear.max_passes="],
        ),
        ("foretext finetune tagging runs/x x --set task.cr", ["task.crf="]),
        ("foretext finetune tagging gru x --set backbone.bid", ["backbone.bidirectional="]),
        ("foretext finetune --set task.", []),
        ("foretext list --settings masked", ["masked_lm"]),
        ("foretext list --candidates sp", ["span_qa"]),
        ("foretext compare x --task sp", ["span_qa"]),
        ("foretext compare x --task tagging --only wo", ["word2vec+bilstm", "word2vec+textcnn"]),
        ("foretext compare x --task span_qa --without vec", ["vectors"]),
        ("foretext compare x --with lin", ["linear"]),
    ],
)
def test_words(complete: Complete, line: str, offered: list[str]) -> None:
    assert complete(line) == offered


def test_runs(complete: Complete, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for run in ("runs/mine", "runs/bert", "deep/er/runs/x"):
        (tmp_path / run).mkdir(parents=True)
        (tmp_path / run / "recipe.toml").touch()
    (tmp_path / "runs" / "empty").mkdir()
    (tmp_path / "compared").mkdir()
    (tmp_path / "compared" / "compare.json").touch()
    assert complete("foretext neighbors ru") == ["runs/bert", "runs/mine"]
    assert complete("foretext predict runs/m") == ["runs/mine"]
    assert complete("foretext finetune classification runs/b") == ["runs/bert"]
    assert complete("foretext fill deep/er/") == ["deep/er/runs/x"]
    assert complete("foretext fill nothing/") == []
    assert complete("foretext report com") == ["compared"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_install_it(
    command: Command, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setenv("_FORETEXT_COMPLETE", f"source_{shell}")
    done = command()
    assert done.code == 0
    assert "_FORETEXT_COMPLETE=complete_" in done.out


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "line",
    ["foretext pretrain bert x --set t", "foretext finetune classification textcnn x --set t"],
)
def test_nothing_waits_for_torch(line: str) -> None:
    code = (
        "import atexit, sys; from foretext.cli import main; sys.argv = ['foretext'];"
        "atexit.register(lambda: print('torch' in sys.modules, file=sys.stderr)); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment(line),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "training.learning_rate=" in done.stdout.split()
    assert done.stderr == "False\n"


@pytest.mark.parametrize("path", CLASSES)
def test_the_source_says_what_the_class_says(path: str) -> None:
    fields = imported(path).model_fields
    assert settings_in_source(path) == {name: field.description for name, field in fields.items()}


def test_a_class_that_is_not_found_has_none() -> None:
    assert settings_in_source("foretext.training.settings:NoSuchClass") == {}
    assert settings_in_source("foretext.training.settings:TrainingConfig.Config") == {}
    assert settings_in_source("outside.module:Class.Config") == {}
