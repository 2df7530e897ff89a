"""A run whose head reads words: on every base, resumed, in every face, and what it is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import Interrupted, SettingError
from foretext.base.parsing import read_toml
from foretext.data.rows import LabelledText
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.words import FOLDS, _folds, untrained_words
from foretext.interop.config_file import read_config
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.report.run_report import report_run
from foretext.tasks.classification.word_vocabulary import WORDS_FILE
from tests.task_files import TaskFiles, small_settings

WORDS = {"word_features": "tfidf"}


def learned(base: Any, files: TaskFiles, out: Path, **more: Any) -> Any:
    settings = {
        **small_settings(base if isinstance(base, str) else None),
        "task": more.pop("task", WORDS),
        "finetuning": more.pop("finetuning", {}),
    }
    train = files.train("classification")
    return ft.finetune("classification", base, train, out, settings=settings, **more)


def weights_of(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


@pytest.mark.parametrize(
    "name", ["textcnn", "lstm", "vectors", "word2vec", "bert", "gpt", "theirs"]
)
def test_every_base(
    name: str, task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    base: Any = bases.get(name, name)
    if name == "theirs":  # a folder that transformers opens
        base = tmp_path / "theirs"
        ft.load(bases["bert"]).save(base)
        assert read_config(base / "config.json")["model_type"] == "bert"
    run, test = tmp_path / "run", task_files.test("classification")
    model = learned(base, task_files, run, test=test)
    facts = RunFolder(run).facts()
    assert facts["word_features"] == len(model.words.vocabulary) > 0
    kept: Any = ft.load(run)
    texts = ["the dog", "", "unheard"]
    np.testing.assert_allclose(kept.predict_proba(texts), model.predict_proba(texts), atol=1e-5)
    assert kept.evaluate(test)["accuracy"] == model.evaluate(test)["accuracy"] == 1.0
    assert (run / WORDS_FILE).is_file()
    assert read_config(run / "config.json")["model_type"] == "foretext"
    assert read_toml(run / "recipe.toml", SettingError)["task"]["word_features"] == "tfidf"
    assert "only foretext opens the model" in (run / "train.log").read_text()


def test_a_recipe_repeats_the_run(task_files: TaskFiles, tmp_path: Path) -> None:
    learned("textcnn", task_files, tmp_path / "run")
    ft.finetune(config=tmp_path / "run" / "recipe.toml", out=tmp_path / "again")
    assert weights_of(tmp_path / "run") == weights_of(tmp_path / "again")


@pytest.mark.parametrize("saves", [1, 2])
def test_an_interrupted_run_ends_in_the_same_bits(
    saves: int, task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the words were learned, and after the training."""
    learned("textcnn", task_files, tmp_path / "whole")
    save, count = Checkpoints.save, [0]

    def stops(self: Checkpoints, *args: Any, **options: Any) -> None:
        save(self, *args, **options)
        count[0] += 1
        if count[0] == saves:
            raise Interrupted("SIGTERM stopped it.")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", stops)
        with pytest.raises(Interrupted):
            learned("textcnn", task_files, tmp_path / "cut")
    with monkeypatch.context() as patched:
        patched.setattr("foretext.finetuning.words.cross_fitted", None)  # is not called again
        learned("textcnn", task_files, tmp_path / "cut", resume=True)
    assert weights_of(tmp_path / "cut") == weights_of(tmp_path / "whole")
    assert (tmp_path / "cut" / WORDS_FILE).read_bytes() == (
        tmp_path / "whole" / WORDS_FILE
    ).read_bytes()
    assert not (tmp_path / "cut" / "checkpoints").exists()


@pytest.mark.parametrize(
    "more",
    [
        {"finetuning": {"baseline": False}},
        {"finetuning": {"calibrate": True, "valid_rate": 0.2}},
        {"finetuning": {"seeds": 2}},
        {"teacher": "linear"},
        {"budget": "20s"},
    ],
    ids=lambda more: str(next(iter(more.values()))),
)
def test_what_goes_together(task_files: TaskFiles, tmp_path: Path, more: dict[str, Any]) -> None:
    run, test = tmp_path / "run", task_files.test("classification")
    if "budget" in more:
        settings = {"task": WORDS, "backbone": small_settings("textcnn")["backbone"]}
        train = task_files.train("classification")
        ft.finetune("classification", "textcnn", train, run, settings=settings, test=test, **more)
    else:
        learned("textcnn", task_files, run, test=test, **more)
    assert ft.load(run).evaluate(test)["accuracy"] == 1.0  # type: ignore[union-attr]


def test_what_does_not(task_files: TaskFiles, tmp_path: Path) -> None:
    for more in ({"finetuning": {"ensemble": True}}, {"teacher": "ensemble"}):
        with pytest.raises(SettingError, match="would count it twice; leave one of the two out"):
            learned("textcnn", task_files, tmp_path / "run", **more)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"\[task\] word_features = 'bm25'"):
        learned("textcnn", task_files, tmp_path / "run", task={"word_features": "bm25"})
    assert not (tmp_path / "run").exists()


def test_answers_of_every_face(task_files: TaskFiles, tmp_path: Path) -> None:
    run, test = tmp_path / "run", task_files.test("classification")
    model = learned("textcnn", task_files, run, test=test)
    assert report_run(run).is_file()
    text = "the dog in the noon"
    assert model.predict([text]) == ["dog"]
    words = {word.text: word.weight for word in model.explain(text).words}
    assert max(words, key=lambda word: words[word]) == "dog"
    other = learned(run, task_files, tmp_path / "other", task={})  # its backbone alone
    assert other.head.words is None


def test_a_short_budget_has_fewer_folds() -> None:
    def job(budget: Budget | None) -> FinetuneJob:
        return cast(FinetuneJob, SimpleNamespace(time_to_learn=budget))

    assert _folds(job(None), 100.0) == FOLDS
    assert _folds(job(Budget.started(100.0)), 1.0) == FOLDS
    assert _folds(job(Budget.started(100.0)), 6.0) == 3
    assert _folds(job(Budget.started(100.0)), 60.0) == 2


def test_few_rows_of_one_label_teach_nothing_to_time_by() -> None:
    rows = [LabelledText("a", ("x",), "rows:1"), LabelledText("b", ("x",), "rows:2")]
    assert untrained_words(rows, ["x"]) is None
