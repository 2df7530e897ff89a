"""A network that learns to answer texts without labels alike, whichever tokens are replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import CorpusError, Interrupted, SettingError
from foretext.base.parsing import read_toml
from foretext.data.rows import LabelledText
from foretext.finetuning.before_training import Preparation
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows
from foretext.progress.checkpoint import Checkpoints
from foretext.tasks.classification.network import TextClassifier
from tests.task_files import TaskFiles, small_settings

ALIKE = {"consistency_weight": 1.0, "consistency_confidence": 0.0}


def learned(base: Any, files: TaskFiles, out: Path, **more: Any) -> Any:
    settings = small_settings(base if isinstance(base, str) else None, checkpoint_seconds=0.0)
    settings |= {"finetuning": more.pop("finetuning", ALIKE)}
    task = more.pop("task", "classification")
    return ft.finetune(task, base, files.train(task), out, settings=settings, **more)


def weights_of(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


def test_a_run_and_its_recipe(
    task_files: TaskFiles, bases: dict[str, Path], texts: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    learned(bases["bert"], task_files, run, unlabelled=texts)
    assert RunFolder(run).facts()["consistency"] == {
        "unlabelled": 24, "weight": 1.0, "replaced_rate": 0.1, "temperature": 0.5,
        "confidence": 0.0,
    }  # fmt: skip
    card = (run / "README.md").read_text("utf-8")
    assert "consistency: 24 texts without labels, of whose tokens 10% are replaced" in card
    log = (run / "train.log").read_text("utf-8")
    assert "24 texts without labels are answered alike with replaced tokens" in log
    assert read_toml(run / "recipe.toml", SettingError)["run"]["unlabelled"] == str(texts)
    ft.finetune(config=run / "recipe.toml", out=tmp_path / "again")
    assert weights_of(run) == weights_of(tmp_path / "again")
    learned(bases["bert"], task_files, tmp_path / "alone", finetuning={})
    assert weights_of(tmp_path / "alone") != weights_of(run)


@pytest.mark.parametrize("base", ["bert", "textcnn"])
def test_an_interrupted_run_ends_in_the_same_bits(
    base: str,
    task_files: TaskFiles,
    bases: dict[str, Path],
    texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = {"unlabelled": texts}
    given = bases.get(base, base)
    learned(given, task_files, tmp_path / "whole", **more)
    save = Checkpoints.save

    def stops(self: Checkpoints, *args: Any, **options: Any) -> None:
        save(self, *args, **options)
        raise Interrupted("SIGTERM stopped it.")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", stops)
        with pytest.raises(Interrupted):
            learned(given, task_files, tmp_path / "cut", **more)
    learned(given, task_files, tmp_path / "cut", resume=True, **more)
    assert weights_of(tmp_path / "cut") == weights_of(tmp_path / "whole")


@pytest.mark.slow
def test_words_of_texts_without_labels_are_learned(tmp_path: Path) -> None:
    """A barn stands beside cows only in texts without labels."""
    near = {"farm": ("cow", "barn"), "sea": ("ship", "harbour")}
    rows = [f"{label}\t{known} {n}" for label, (known, _) in near.items() for n in range(8)]
    train = tmp_path / "train.tsv"
    train.write_text("\n".join(["label\ttext", *rows]) + "\n", encoding="utf-8")
    more = [f"{known} {other} {n}" for known, other in near.values() for n in range(20, 60)]
    asked = [(f"{other} {n}", label) for label, (_, other) in near.items() for n in range(3, 8)]
    right = []
    for alike in ({}, {"consistency_weight": 1.0, "consistency_replaced_rate": 0.01}):
        settings: dict[str, dict[str, Any]] = {
            "training": {"steps": 200, "learning_rate": 0.01},
            "backbone": {"vector_size": 16, "num_maps": 8},
            "finetuning": {"valid_rate": 0.0, "baseline": False, **alike},
        }
        model = ft.finetune(
            "classification", "textcnn", train, tmp_path / str(len(alike)), settings=settings,
            unlabelled=more if alike else None,
        )  # fmt: skip
        right.append(model.score(*zip(*asked, strict=True)))
    assert right == [0.5, 1.0]


def test_a_trial_of_a_search_has_the_same_share_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [LabelledText(f"row {n}", ("a",), "") for n in range(10)]
    others = [LabelledText(f"text {n}", (), "") for n in range(30)]
    given: list[tuple[int, int]] = []

    def noted(self: TextClassifier, labelled: Any, unlabelled: Any, config: Any) -> Any:
        given.append((len(labelled), len(unlabelled)))

    monkeypatch.setattr(TextClassifier, "consistent", noted)
    config = FinetuningConfig(consistency_weight=1.0)
    preparation = Preparation(unlabelled=others)
    assert preparation.num_unlabelled == 30
    model = TextClassifier.__new__(TextClassifier)
    preparation.learned(model, TaskRows(rows, [], []), config)
    preparation.learned(model, TaskRows(rows, [], [], some=rows[:4]), config)
    assert given == [(10, 30), (4, 12)]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"finetuning": {"consistency_weight": 1}}, "give them with --unlabelled"),
    (
        {"finetuning": {"consistency_replaced_rate": 0.3}, "unlabelled": "texts"},
        "consistency_replaced_rate has no effect while consistency_weight is 0",
    ),
    (
        {"finetuning": ALIKE, "unlabelled": "texts", "teacher": "linear"},
        "by the network itself, or by a teacher",
    ),
    (
        {"finetuning": ALIKE, "unlabelled": "texts", "task": "tagging"},
        "consistency_weight is for classification, not for tagging",
    ),
    (
        {
            "finetuning": ALIKE,
            "unlabelled": "texts",
            "task_settings": {"language_model_weight": 0.5},
        },
        "a language model .* must not learn those",
    ),
]


@pytest.mark.parametrize(("more", "sentence"), REFUSED)
def test_what_cannot_work_is_refused_before_rows_are_read(
    more: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    options = {"task": "classification", **more}
    settings = {
        "finetuning": options.pop("finetuning"),
        "task": options.pop("task_settings", {}),
    }
    with pytest.raises(SettingError, match=sentence):
        ft.finetune(
            base="textcnn", train=tmp_path / "none.tsv", out=tmp_path / "run", settings=settings,
            **options,
        )  # fmt: skip
    assert not (tmp_path / "run").exists()


def test_texts_have_to_be_new(task_files: TaskFiles, tmp_path: Path) -> None:
    rows = task_files.train("classification").read_text("utf-8").splitlines()
    known = [rows[1].split("\t")[0]]
    with pytest.raises(CorpusError, match="has no text that is not among the rows to learn from"):
        learned("textcnn", task_files, tmp_path / "run", unlabelled=known)


def test_it_has_no_effect_on_a_linear_classifier(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="consistency_weight has no effect on 'linear'"):
        ft.finetune(
            "classification", "linear", tmp_path / "none.tsv", tmp_path / "run",
            settings={"finetuning": {"consistency_weight": 1}},
        )  # fmt: skip
