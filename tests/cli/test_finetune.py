"""``foretext finetune`` and ``foretext predict``: classifiers without a network, from rows on."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from foretext.finetuning.finetune import finetune
from foretext.tasks.fasttext.classifier import FastTextClassifier
from tests.cli.conftest import Command
from tests.tasks.fasttext.texts import NAMES, labelled_texts

SETTINGS = [
    f"--set=classifier.{setting}" for setting in ("lr=0.5", "epochs=30", "dim=12", "workers=1")
]


def write_rows(path: Path, size: int, seed: int) -> Path:
    lines = [f"{label}\t{text}" for text, label in zip(*labelled_texts(size, seed), strict=True)]
    path.write_text("\n".join(["topic\tbody", *lines, ""]), encoding="utf-8")
    return path


COLUMNS = ("--text", "body", "--label", "topic")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classification")
    for seed, name in enumerate(("train", "valid", "test")):
        write_rows(folder / f"{name}.tsv", 300 if seed == 0 else 100, seed)
    return folder


@pytest.fixture
def arguments(folder: Path) -> list[object]:
    train = ["finetune", "classification", "fasttext", folder / "train.tsv"]
    others = ["--valid", folder / "valid.tsv", "--test", folder / "test.tsv"]
    return [*train, *others, *COLUMNS, *SETTINGS]


def test_a_run_from_rows_to_answers(
    command: Command, arguments: list[object], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    done = command(*arguments, "-o", run, "--json", "--quiet")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["test"]["accuracy"] > 0.9
    assert result["valid"]["texts"] == 100
    assert (result["rows"], result["labels"], result["search"]) == (300, 5, None)
    names = {path.name for path in run.iterdir()}
    assert names == {
        "README.md", "config.json", "examination.json", "metrics.jsonl", "model.safetensors",
        "recipe.toml", "report.html", "train.log",
    }  # fmt: skip
    recipe = tomllib.loads((run / "recipe.toml").read_text())
    assert (recipe["run"]["task"], recipe["run"]["base"]) == ("classification", "fasttext")
    assert (recipe["classifier"]["lr"], recipe["rows"]["text"]) == (0.5, "body")
    records = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert records[-1]["valid_loss"] < records[0]["valid_loss"]
    card = (run / "README.md").read_text()
    assert f"| {result['test']['accuracy']:.4f} |" in card
    page = (run / "report.html").read_text()
    assert "Labels" in page
    assert "weather" in page

    texts = tmp_path / "texts.txt"
    texts.write_text("music1é music2é\nworld1é world2é world3é world4é\n", encoding="utf-8")
    answers = command("predict", run, texts, "--json", "-k", 2)
    rows = [json.loads(line) for line in answers.out.splitlines()]
    assert [row["text"] for row in rows] == ["music1é music2é", "world1é world2é world3é world4é"]
    assert [row["labels"][0]["label"] for row in rows] == ["music", "world"]
    assert all(len(row["labels"]) == 2 for row in rows)
    plain = command("predict", run, texts).out.splitlines()
    assert plain[0].startswith("music ")
    assert plain[0].endswith("\tmusic1é music2é")


def test_frozen_bases_from_rows_to_answers(
    command: Command, folder: Path, run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    done = command(
        "finetune", "classification", "embeddings", folder / "train.tsv", "--test",
        folder / "test.tsv", "--with", run, *COLUMNS, "-o", out, "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["test"]["accuracy"] > 0.9
    assert [view["view"] for view in result["views"]] == [str(run), "words", "all together"]
    assert {path.name for path in out.iterdir()} == {
        "README.md", "bases", "config.json", "embeddings.safetensors", "examination.json",
        "recipe.toml", "report.html", "train.log",
    }  # fmt: skip
    recipe = tomllib.loads((out / "recipe.toml").read_text())
    assert (recipe["run"]["beside"], recipe["embeddings"]["words"]) == ([str(run)], True)
    assert "## Views" in (out / "README.md").read_text()
    assert "all together" in (out / "report.html").read_text()
    refused = command(
        "finetune", "classification", "linear", folder / "train.tsv", "--with", run, *COLUMNS,
        "-o", tmp_path / "other",
    )  # fmt: skip
    assert refused.code == 2
    assert "--with has no effect on 'linear'" in refused.err
    assert not (tmp_path / "other" / "recipe.toml").exists()


def test_the_linear_classifier_from_rows_to_answers(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    run, test = tmp_path / "run", folder / "test.tsv"
    done = command(
        "finetune", "classification", "linear", folder / "train.tsv", "--test", test, *COLUMNS,
        "--set=linear.inverse_penalty=2", "-o", run, "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["test"]["accuracy"] > 0.9
    assert (result["rows"], result["labels"], result["valid"]) == (300, 5, None)
    names = {path.name for path in run.iterdir()}
    assert names == {
        "README.md", "config.json", "examination.json", "linear.safetensors", "recipe.toml",
        "report.html", "train.log",
    }  # fmt: skip
    recipe = tomllib.loads((run / "recipe.toml").read_text())
    assert (recipe["linear"]["inverse_penalty"], recipe["linear"]["features"]) == (2, "words")
    card = (run / "README.md").read_text()
    assert f"| accuracy | {result['test']['accuracy']:.4f} |" in card
    page = (run / "report.html").read_text()
    assert "TF-IDF and logistic regression" in page
    assert "weather" in page

    texts = tmp_path / "texts.txt"
    texts.write_text("music1é music2é\n", encoding="utf-8")
    answers = command("predict", run, texts, "--json", "-k", 2)
    (row,) = (json.loads(line) for line in answers.out.splitlines())
    assert (row["labels"][0]["label"], len(row["labels"])) == ("music", 2)
    figures = json.loads(command("evaluate", run, test, "--json").out)[str(test)]
    assert figures["accuracy"] == result["test"]["accuracy"]
    refused = command(
        "finetune", "classification", run, folder / "train.tsv", *COLUMNS, "-o", tmp_path / "next"
    )
    assert refused.code == 2
    assert "holds LinearClassifier, which no task can be learned on" in refused.err


def test_what_is_there_stays(command: Command, arguments: list[object], tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert command(*arguments, "-o", run, "--quiet", "--no-report").code == 0
    again = command(*arguments, "-o", run, "--quiet")
    assert again.code == 2
    assert "holds a finished run; choose another folder" in again.err
    assert command(*arguments, "-o", run, "--quiet", "--no-report", "--overwrite").code == 0


@pytest.mark.parametrize(
    "verb",
    [
        ("finetune", "classification", "linear", "TRAIN"),
        ("compare", "--task", "classification", "--train", "TRAIN", "--budget", "1m"),
    ],
)
def test_a_header_under_numbers_of_columns_is_refused_by_both_verbs(
    command: Command, folder: Path, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    train = folder / "train.tsv"
    arguments = [train if argument == "TRAIN" else argument for argument in verb]
    refused = command(*arguments, "--label", 1, "--text", 2, "-o", tmp_path / "out")
    assert refused.code == 2
    assert refused.err == (
        f"foretext: {train}, line 1: columns that have numbers are those of a file without a "
        "header, but this row looks like one (no other row has the label 'topic'); name the "
        "columns by the names in it, or remove the line.\n"
    )


@pytest.mark.slow
def test_a_search_is_kept_with_its_trials(command: Command, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    run = tmp_path / "run"
    fixed = ["--set=classifier.dim=8", "--set=classifier.workers=1", "--set=classifier.maxn=2"]
    done = command(
        "finetune", "classification", "fasttext", folder / "train.tsv", *COLUMNS, *fixed,
        "--set=classifier.bucket=500", "--search", "2s", "-o", run, "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    trials = [json.loads(line) for line in (run / "trials.jsonl").read_text().splitlines()]
    assert result["search"]["trials"] == len(trials)
    assert result["search"]["score"] == max(trial["score"] for trial in trials)
    best = max(trials, key=lambda trial: trial["score"])
    assert result["search"]["settings"]["lr"] == best["lr"]
    assert f"The best of {len(trials)} settings" in (run / "report.html").read_text()


def test_python_does_the_same(folder: Path, tmp_path: Path) -> None:
    from foretext.data.rows import RowsConfig

    classifier = finetune(
        "classification", "fasttext", folder / "train.tsv", tmp_path / "run",
        settings={"classifier": {"lr": 0.5, "epochs": 8, "dim": 12, "workers": 1}},
        rows=RowsConfig(text="body", label="topic"),
    )  # fmt: skip
    asked = labelled_texts(50, 3)[0]
    kept = FastTextClassifier.load(tmp_path / "run")
    np.testing.assert_array_equal(kept.predict_proba(asked), classifier.predict_proba(asked))
    assert set(kept.classes_) == set(NAMES)


def test_files_of_the_program_answer_too(command: Command, folder: Path, tmp_path: Path) -> None:
    texts, labels = labelled_texts(200, 0)
    classifier = FastTextClassifier(dim=8, epochs=5, workers=1, pre_tokenizer="blanks")
    classifier.fit(texts, labels)
    classifier.save(tmp_path / "model.bin")
    (tmp_path / "texts.txt").write_text("music1é music2é\n", encoding="utf-8")
    done = command("predict", tmp_path / "model.bin", tmp_path / "texts.txt")
    assert done.out.startswith("music ")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("clasification", "fasttext"), "no such task. Did you mean 'classification'?"),
        (("classification", "fastext"), "no backbone of this name. Did you mean 'fasttext'?"),
    ],
)
def test_unknown_names_say_so(
    command: Command, folder: Path, tmp_path: Path, given: tuple[str, str], sentence: str
) -> None:
    done = command("finetune", *given, folder / "train.tsv", "-o", tmp_path / "run")
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert not (tmp_path / "run").exists()


def test_wrong_settings_leave_nothing_behind(
    command: Command, arguments: list[object], tmp_path: Path
) -> None:
    done = command(*arguments, "--set", "classifier.lrr=1", "-o", tmp_path / "run")
    assert done.code == 2
    assert "[classifier] lrr: there is no such setting. Did you mean 'lr'?" in done.err
    assert not (tmp_path / "run").exists()
    done = command(*arguments, "--set", "vectors.lr=1", "-o", tmp_path / "run")
    assert "There are: task, finetuning, training" in done.err


def test_predict_asks_tasks(command: Command, run: Path, tmp_path: Path) -> None:
    done = command("predict", run, tmp_path)
    assert done.code == 2
    assert (
        "holds WordVectors, which has learned no task; give a folder of `foretext finetune`"
        in done.err
    )
    done = command("predict", tmp_path, tmp_path)
    assert "holds no run of foretext" in done.err


def test_a_run_is_evaluated_on_other_rows(
    command: Command, arguments: list[object], folder: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    assert command(*arguments, "-o", run, "--quiet").code == 0
    test = folder / "test.tsv"
    done = command("evaluate", run, test, "--json")
    assert done.code == 0, done.err
    scores = json.loads(done.out)[str(test)]
    assert scores["accuracy"] > 0.9
    assert set(scores["labels"]) == set(NAMES)
    shown = command("evaluate", run, test)
    assert "precision" in shown.out
    assert command("evaluate", run, test, "--stride", "3").code == 2


def test_load_opens_a_classifier(command: Command, arguments: list[object], tmp_path: Path) -> None:
    import foretext as ft

    assert command(*arguments, "-o", tmp_path / "run", "--quiet").code == 0
    assert isinstance(ft.load(tmp_path / "run"), FastTextClassifier)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--teacher", "teacher"), "--teacher teacher: there is no such run or folder."),
        (("--unlabelled", "texts.txt"), "--unlabelled has no effect alone"),
        (("--adapt", "0.3"), "adapt = 0.3 is a share of the budget, and there is none"),
        (("--adapt", "1m"), "BASE = 'textcnn' is none"),
    ],
)
def test_teachers_and_texts_that_have_no_effect_are_refused(
    options: tuple[str, ...], sentence: str, command: Command, tmp_path: Path
) -> None:
    done = command(
        "finetune", "classification", "textcnn", tmp_path / "none.tsv", "-o", tmp_path / "run",
        *options,
    )  # fmt: skip
    assert done.code == 2
    assert sentence in " ".join(done.err.split())
    assert not (tmp_path / "run").exists()


def test_the_command_prints_the_curve(command: Command, tmp_path: Path) -> None:
    train, test = (
        write_rows(tmp_path / f"{seed}.tsv", size, seed) for seed, size in ((1, 60), (2, 20))
    )
    options = (
        "--text",
        "body",
        "--label",
        "topic",
        "--test",
        test,
        "--curve",
        "6,20",
        "--draws",
        2,
        "--quiet",
        "--no-report",
    )
    words = ("finetune", "classification", "linear", train, *options)
    shown = command(*words, "-o", tmp_path / "run")
    assert shown.code == 0
    assert "accuracy by labels" in shown.out
    assert "linear has accuracy" in shown.out
    printed = command(*words, "-o", tmp_path / "again", "--json")
    assert json.loads(printed.out)["label_curve"]["labels"][:2] == [6, 20]
    refused = command("finetune", "classification", "linear", train, "--draws", 2, "-o",
                      tmp_path / "third")  # fmt: skip
    assert refused.code == 2
    assert "--draws has no effect without --curve" in refused.err
