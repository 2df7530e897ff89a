"""``finetune text_to_text`` on parallel files and tables, ``predict`` and ``evaluate`` after it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.base.errors import SettingError
from foretext.tasks.named_columns import has_target_file, with_targets
from tests.cli.conftest import Command

SMALL = (
    "backbone.dim=16", "backbone.vector_size=16", "tokenizer.vocab_size=290", "training.steps=4",
    "finetuning.baseline=false", "task.judged_by=loss",
)  # fmt: skip
SETTINGS = [word for setting in SMALL for word in ("--set", setting)]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    names = tmp_path / "a.de", tmp_path / "a.en"
    for name, word in zip(names, ("Haus", "house"), strict=True):
        name.write_text("".join(f"{word} {n} {word}\n" for n in range(24)), encoding="utf-8")
    return names


def test_parallel_files_from_training_to_figures(
    command: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    sources, targets = files
    run = tmp_path / "run"
    done = command(
        "finetune", "text_to_text", "gru-attention", sources, "--target", targets,
        "--valid", sources, "--valid-target", targets, "-o", run, "--no-report", "--quiet",
        "--json", *SETTINGS,
    )  # fmt: skip
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["task"], facts["judged_by"]) == ("text_to_text", "chrf")
    assert "perplexity" in facts["valid"]
    answers = command("predict", run, sources, "-k", 2, "--max-new-tokens", 3, "--json")
    records = [json.loads(line) for line in answers.out.splitlines()]
    assert len(records) == 24
    assert {len(each["outputs"]) for each in records} == {2}
    assert "did not end by themselves" in answers.err
    shown = command("predict", run, sources, "--num-beams", 1).out.splitlines()
    assert shown[3].split("\t")[1] == "Haus 3 Haus"
    figures = command("evaluate", run, sources, "--target", targets, "--json")
    assert json.loads(figures.out)[str(sources)].keys() >= {"bleu", "chrf", "signatures"}
    assert "nrefs:1" in command("evaluate", run, sources, "--target", targets).out
    again = command("evaluate", run, sources, sources, "--target", targets)
    assert (again.code, "score one at a time" in again.err) == (2, True)


def test_files_of_different_length_are_refused(
    command: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    sources, targets = files
    targets.write_text("".join(targets.read_text().splitlines(keepends=True)[:-3]))
    done = command(
        "finetune", "text_to_text", "gru-attention", sources, "--target", targets,
        "-o", tmp_path / "run", *SETTINGS,
    )  # fmt: skip
    assert done.code == 2
    assert "has 24 lines and" in done.err
    assert not (tmp_path / "run").exists()


def test_options_of_texts_are_refused_where_none_are_written(
    command: Command, tmp_path: Path
) -> None:
    table = tmp_path / "rows.tsv"
    table.write_text("text\tlabel\n" + "a cat\tcat\na dog\tdog\n" * 20)
    assert command("finetune", "classification", "linear", table, "-o", tmp_path / "run").code == 0
    for words in (
        ["predict", tmp_path / "run", table, "--num-beams", 3],
        ["evaluate", tmp_path / "run", table, "--target", table],
        ["finetune", "classification", "linear", table, "-o", tmp_path / "b", "--target", "label"],
    ):
        done = command(*words)
        assert (done.code, "has no effect" in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("sources", "target", "is_file"),
    [
        ("a.de", "a.en", True),
        ("a.txt.gz", "b", True),
        ("a.csv", "english", False),
        ("a.tsv.gz", "english", False),
        ("a.txt", "2", False),
        (None, "a.en", True),
        ("a.de", None, False),
    ],
)
def test_target_is_a_file_beside_plain_text(
    sources: str | None, target: str | None, is_file: bool
) -> None:
    assert has_target_file(sources, target) is is_file


def test_targets_need_sources() -> None:
    assert with_targets("train", "a.de", "a.en") == ("a.de", "a.en")
    assert with_targets("train", "a.de", None) == "a.de"
    with pytest.raises(SettingError, match=r"--valid-target a\.en: give the file of its sources"):
        with_targets("valid", None, "a.en")
