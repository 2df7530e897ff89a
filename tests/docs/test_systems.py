"""Every row of the README's table of systems, from raw text to a model in use, in two languages."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from foretext.finetuning.base_names import LEARNERS
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from tests.contracts.pairs import SMALL
from tests.docs.chinese import IN_CHINESE, write_chinese
from tests.docs.commands import ROOT, run_command
from tests.docs.prepared import write_prepared
from tests.task_files import SMALL as SMALL_ROWS

COMMAND = re.compile(r"`(foretext [^`]*)`")
USUAL = {"objective.row_length": 24, "tokenizer.vocab_size": 400}
SHORT = {"training.steps": 2, "training.batch_examples": 8, "training.precision": "fp32"}


class System(NamedTuple):
    """A row."""

    name: str
    learn: list[str]  # the words of its command
    use: list[str]

    @property
    def run(self) -> str:
        """The run folder that it makes."""
        return self.learn[self.learn.index("-o") + 1]


def systems() -> list[System]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("## Systems")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if COMMAND.search(line)]
    return [
        System(name.strip(), *(shlex.split(cell.strip().strip("`")) for cell in cells))
        for name, *cells in rows
    ]


SYSTEMS = systems()


def small(words: list[str]) -> list[str]:
    """Options with which a command of `learn` ends in a moment."""
    if words[1] not in ("pretrain", "finetune"):
        return ["--quiet"]
    settings = small_pretraining(words[2]) if words[1] == "pretrain" else small_rows(words[3])
    options = [f"--set={name}={json.dumps(value)}" for name, value in settings.items()]
    return [*options, "--no-report", "--quiet"]


def small_pretraining(name: str) -> dict[str, Any]:
    parts = Recipe.load(name).parts
    if "topics" in parts:  # the words of the sample are in all of its documents
        return {"topics.epochs": 1, "topics.most_documents": 1, "tokenizer.min_count": 1}
    if "objective" not in parts:
        return {"vectors.epochs": 1, "vectors.vector_size": 16, "tokenizer.min_count": 1}
    fields = type(parts["backbone"].config).model_fields
    shape = {f"backbone.{field}": value for field, value in SMALL.items() if field in fields}
    return shape | USUAL | SHORT


def small_rows(base: str) -> dict[str, Any]:
    if base in LEARNERS:
        return {}
    shape = {f"backbone.{name}": value for name, value in SMALL_ROWS.get(base, {}).items()}
    return shape | SHORT


@pytest.fixture(scope="module", params=["English", "Chinese"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("systems") / str(request.param)
    made.mkdir()
    (write_chinese if request.param == "Chinese" else write_prepared)(made)
    return made


def learn(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the run of a system, and first those that it learns on, unless they are there."""
    if Path(system.run).exists():
        return
    for base in SYSTEMS:
        if base.run in system.learn[: system.learn.index("-o")]:
            learn(base, monkeypatch)
    run_command([*system.learn, *small(system.learn)], system.name, monkeypatch)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_system_is_learned_and_used(
    system: System, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    learn(system, monkeypatch)
    words = system.use
    if folder.name == "Chinese":
        words = [IN_CHINESE.get(word, word) for word in words]
    run_command(words, system.name, monkeypatch)


def test_every_recipe_of_texts_is_a_system() -> None:
    of_texts = {name for name in recipe_names() if "autoencoder" not in name}
    assert of_texts == {s.learn[2] for s in SYSTEMS if s.learn[1] == "pretrain"}
