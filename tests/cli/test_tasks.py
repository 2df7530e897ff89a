"""``foretext finetune``, ``predict`` and ``evaluate`` of networks: runs, answers, complaints."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.report.run_report import report_run
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.cli.conftest import Command
from tests.task_files import (
    TOPICS,
    TaskFiles,
    language_model,
    small_settings,
    write_task_files,
)

FAST = (
    "training.epochs=2.0", "training.learning_rate=5e-3", "training.batch_examples=16",
    "training.precision='fp32'",
)  # fmt: skip
CNN = ("backbone.vector_size=16", "backbone.num_maps=8", "backbone.widths=[1,2]")
TASKS = ("classification", "matching", "tagging", "span_qa")


def settings(*chosen: str) -> list[str]:
    return [part for setting in chosen for part in ("--set", setting)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TaskFiles:
    return write_task_files(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def bert(wordpiece: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Hugging Face folder; nothing in it is foretext's own."""
    folder = tmp_path_factory.mktemp("base") / "bert"
    language_model("bert", wordpiece).save(folder)
    assert not (folder / "recipe.toml").exists()
    return folder


@pytest.fixture(scope="module")
def runs(files: TaskFiles, bert: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished run of each task."""
    folder = tmp_path_factory.mktemp("runs")
    for task in TASKS:
        ft.finetune(
            task, bert, files.train(task), folder / task,
            test=files.test(task), settings=small_settings("bert"),
        )  # fmt: skip
    return {task: folder / task for task in TASKS}


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_the_command_does_what_python_does(
    task: str, command: Command, files: TaskFiles, bert: Path, runs: dict[str, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    done = command(
        "finetune", task, bert, files.train(task), "--test", files.test(task), "-o", run,
        *settings(*FAST), "--json", "--quiet",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.err == ""
    weights = [(folder / "model.safetensors").read_bytes() for folder in (run, runs[task])]
    assert weights[0] == weights[1]
    told, facts = json.loads(done.out), RunFolder(runs[task]).facts()
    assert told["run"] == str(run)
    figure = facts["judged_by"]
    assert told["test"][figure] == facts["test"][figure]
    assert "labels" not in told["test"]
    assert (run / "report.html").is_file()


def test_a_run_shows_its_figures(command: Command, files: TaskFiles, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = command(
        "finetune", "classification", "textcnn", files.train("classification"),
        "--test", files.test("classification"), "-o", run, *settings(*FAST, *CNN),
        "--seeds", 2, "--no-report",
    )  # fmt: skip
    assert done.code == 0, done.err
    for part in ("valid", "test", "accuracy", "TF-IDF", "mean", "deviation", "over 2 seeds"):
        assert part in done.out
    assert f"try: foretext predict {run} INPUT" in done.out.replace("\n", "")
    assert not (run / "report.html").exists()


@pytest.mark.slow
def test_a_search_is_part_of_the_result(command: Command, files: TaskFiles, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    run = tmp_path / "run"
    done = command(
        "finetune", "classification", "textcnn", files.train("classification"), "-o", run,
        *settings(*FAST[2:], "training.epochs=1.0", *CNN), "--search", "1s", "--json", "-q",
    )  # fmt: skip
    assert done.code == 0, done.err
    search = json.loads(done.out)["search"]
    trials = (run / "trials.jsonl").read_text().splitlines()
    assert search["trials"] == len(trials)
    assert search["score"] == max(json.loads(trial)["score"] for trial in trials)


def test_a_recipe_is_a_command(command: Command, files: TaskFiles, tmp_path: Path) -> None:
    """What the command line says goes over the file; a run's own recipe repeats it."""
    run, again, other = (tmp_path / name for name in ("run", "again", "other"))
    train, test = files.train("tagging"), files.test("tagging")
    recipe = write(
        tmp_path / "tags.toml", "[run]", 'task = "tagging"', 'base = "lstm"', f'train = "{train}"',
        "[training]", "epochs = 1.0", "[backbone]", "dim = 8", "[rows]", "tag = 2",
    )  # fmt: skip
    done = command("finetune", "--config", recipe, "--test", test, "-o", run, "--json", "-q")
    assert done.code == 0, done.err
    repeated = command("finetune", "--config", run / "recipe.toml", "-o", again, "--json", "-q")
    assert repeated.code == 0, repeated.err
    figures = [json.loads(each.out)["test"] for each in (done, repeated)]
    assert figures[0] == figures[1]
    weights = [(folder / "model.safetensors").read_bytes() for folder in (run, again)]
    assert weights[0] == weights[1]
    changed = command(
        "finetune", "tagging", "gru", "--config", recipe, "--set", "training.steps=2", "-o", other,
        "--tag", "last", "--json", "-q",
    )  # fmt: skip
    assert changed.code == 0, changed.err
    assert (json.loads(changed.out)["base"], json.loads(changed.out)["steps"]) == ("gru", 2)
    told = complaint(command, tmp_path / "none", "tagging", "lstm")
    assert "TRAIN is missing; name it as an argument, or as train under [run]" in told


TOPICS_TASK = """\
from foretext.extend import lazily
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.classification.task import Classification


class Topics(Classification):
    title = "Topics"
    judged_by = "macro_f1"
    model = lazily("my_topics:TopicClassifier")


class TopicClassifier(TextClassifier):
    task = Topics()


class Other:
    pass
"""


def test_a_task_from_outside(
    command: Command, files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    write(tmp_path / "my_topics.py", TOPICS_TASK)
    run, test = tmp_path / "run", files.test("classification")
    done = command(
        "finetune", "my_topics:Topics", "textcnn", files.train("classification"), "-o", run,
        "--test", test, *settings(*FAST, *CNN), "--seeds", 2, "--json", "-q",
    )  # fmt: skip
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["task"], facts["judged_by"]) == ("my_topics:Topics", "macro_f1")
    assert "# Topics on textcnn" in (run / "README.md").read_text()
    assert RunFolder(run).kind == "my_topics:Topics"
    lines = write(tmp_path / "lines.txt", "the cat", "every dog")
    for verb in (("predict", run, lines, "--json"), ("evaluate", run, test, "--json")):
        answered = command(*verb, "--trust", "my_topics")
        assert answered.code == 0, answered.err
    assert json.loads(answered.out)[str(test)]["macro_f1"] == facts["test"]["macro_f1"]
    assert "Topics" in report_run(run).read_text()
    assert type(ft.load(run)).__name__ == "TopicClassifier"
    train = files.train("classification")
    told = complaint(command, tmp_path / "none", "my_topics:Other", "textcnn", train)
    assert "TASK = 'my_topics:Other' is no Task; name" in told


def test_a_note_on_a_name_that_is_a_folder_too(
    command: Command, files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linear").mkdir()
    done = command("finetune", "classification", "linear", files.train("classification"), "-o", "r")
    assert done.code == 0, done.err
    assert "BASE = 'linear' is the name of what learns; what is called so here is './l" in done.err


LINES = {
    "classification": ("the cat in the noon .", '{"text": "every dog"}'),
    "matching": ("the cat\tevery cat", '{"text_a": "the dog", "text_b": "a hen"}'),
    "tagging": ("the happy cow moos", '{"text": "the owl hoots"}'),
    "span_qa": ("what purrs\tthe cat purrs", '{"question": "who", "context": "the pig grunts"}'),
}
ANSWERS = dict(zip(TASKS, ("labels", "labels", "spans", "answers"), strict=True))


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("task", TASKS)
def test_predict_answers_each_line(
    task: str, command: Command, runs: dict[str, Path], tmp_path: Path
) -> None:
    lines = write(tmp_path / "lines.txt", *LINES[task])
    done = command("predict", runs[task], lines, "--json")
    assert done.code == 0, done.err
    records = [json.loads(line) for line in done.out.splitlines()]
    asked = [*json.loads(LINES[task][1])]
    assert [sorted(record) for record in records] == [sorted([*asked, ANSWERS[task]])] * 2
    plain = command("predict", runs[task], lines).out.splitlines()
    assert len(plain) == 2
    assert plain[0].endswith("\t" + LINES[task][0].split("\t")[0] if task == "span_qa" else "")
    assert all("\t" in line for line in plain)


def test_predict_reads_standard_input(
    command: Command, runs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"the cat\r\nthe dog\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    done = command("predict", runs["classification"], "--json", "-k", 2)
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [record["text"] for record in records] == ["the cat", "the dog"]
    assert all(len(record["labels"]) == 2 for record in records)


def test_predict_names_the_wrong_line(
    command: Command, runs: dict[str, Path], tmp_path: Path
) -> None:
    lines = write(tmp_path / "lines.txt", "a\tb", "a")
    done = command("predict", runs["matching"], lines)
    assert done.code == 2
    assert "line 2: 1 fields where text_a<TAB>text_b are expected" in done.err
    done = command("predict", runs["tagging"], lines, "-k", 2)
    assert (done.code, done.out) == (2, "")
    assert "-k has no effect on a tagger" in done.err


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("task", TASKS)
def test_evaluate_measures_other_rows(
    task: str, command: Command, files: TaskFiles, runs: dict[str, Path]
) -> None:
    test, facts = files.test(task), RunFolder(runs[task]).facts()
    done = command("evaluate", runs[task], test, "--json")
    assert done.code == 0, done.err
    scores = json.loads(done.out)[str(test)]
    assert scores == facts["test"]
    shown = command("evaluate", runs[task], test)
    assert facts["judged_by"].split("_")[0] in shown.out
    assert ("precision" in shown.out) is (task != "span_qa")
    if task == "classification":
        assert all(label in shown.out for label in TOPICS)
    refused = command("evaluate", runs[task], test, "--restrict-vocab", 3)
    assert refused.code == 2


def test_evaluate_opens_folders_of_hugging_face(
    command: Command, files: TaskFiles, runs: dict[str, Path], bert: Path, tmp_path: Path
) -> None:
    """A folder that `transformers` has written tells its task by its class alone."""
    transformers = pytest.importorskip("transformers")
    plain = small_settings("bert") | {"task": {"shared_tokens": False}}
    test = files.test("span_qa")
    ft.finetune(
        "span_qa", bert, files.train("span_qa"), tmp_path / "reader", test=test, settings=plain
    )
    runs = {**runs, "span_qa": tmp_path / "reader"}
    for task, kind in (
        ("tagging", "AutoModelForTokenClassification"),
        ("span_qa", "AutoModelForQuestionAnswering"),
    ):
        folder = tmp_path / task
        getattr(transformers, kind).from_pretrained(runs[task]).save_pretrained(folder)
        transformers.AutoTokenizer.from_pretrained(runs[task]).save_pretrained(folder)
        config = json.loads((folder / "config.json").read_text())
        config.pop("foretext", None)
        (folder / "config.json").write_text(json.dumps(config))
        done = command("evaluate", folder, files.test(task), "--json")
        assert done.code == 0, done.err
        ours = RunFolder(runs[task]).facts()["test"]["f1"]
        theirs = json.loads(done.out)[str(files.test(task))]["f1"]
        assert theirs == pytest.approx(ours, abs=1e-6)


def test_labels_that_were_never_learned_are_wrong_and_not_fatal(
    command: Command, files: TaskFiles, tmp_path: Path
) -> None:
    test = write(tmp_path / "test.tsv", "text\tlabel", "the cat in the noon .\tcat", "a cow\tcow")
    run = tmp_path / "run"
    done = command(
        "finetune", "classification", "textcnn", files.train("classification"), "-o", run,
        "--valid", test, "--test", test, *settings(*FAST, *CNN), "--no-report", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "1 test row has labels that training never shows (such as 'cow')" in done.err
    assert "1 of 2 held-out rows have labels that the rows to learn from never show" in done.err
    assert json.loads(done.out)["test"]["accuracy"] <= 0.5


def test_a_warning_about_test_rows_that_occur_in_training(
    command: Command, files: TaskFiles, tmp_path: Path
) -> None:
    train = files.train("classification")
    done = command(
        "finetune", "classification", "textcnn", train, "-o", tmp_path / "run", "--test", train,
        *settings(*FAST, *CNN), "--no-report",
    )  # fmt: skip
    assert done.code == 0
    assert "60 of 60 test rows (100.0%) occur in training too" in done.err


def complaint(command: Command, run: Path, *arguments: object) -> str:
    """The sentence that a run is refused with, which leaves nothing behind."""
    done = command("finetune", *arguments, "-o", run, "--quiet")
    assert (done.code, done.out) == (2, "")
    assert not run.exists()
    assert [path.name for path in run.parent.glob(f".{run.name}*")] == []
    sentence = done.err.strip()
    assert sentence.startswith("foretext: ")
    assert "\n" not in sentence
    return sentence


class TestWrongRows:
    def test_one_label(self, command: Command, tmp_path: Path) -> None:
        train = write(tmp_path / "rows.tsv", "text\tlabel", "a\tx", "b\tx")
        told = complaint(command, tmp_path / "run", "classification", "textcnn", train)
        assert "All 2 rows have the label 'x', so that there is nothing to learn" in told

    def test_held_out_rows_of_other_labels(
        self, command: Command, files: TaskFiles, tmp_path: Path
    ) -> None:
        valid = write(tmp_path / "valid.tsv", "text\tlabel", "a cow\tcow", "a pig\tpig")
        train = files.train("classification")
        told = complaint(
            command, tmp_path / "run", "classification", "textcnn", train, "--valid", valid
        )
        assert "None of the 2 held-out rows has an answer that the rows to learn from show" in told

    def test_pairs_without_the_second_text(
        self, command: Command, files: TaskFiles, bert: Path, tmp_path: Path
    ) -> None:
        told = complaint(command, tmp_path / "run", "matching", bert, files.train("classification"))
        assert "classification-train.tsv, line 1: there is no column 'text_a'" in told

    def test_a_column_of_another_task(
        self, command: Command, files: TaskFiles, tmp_path: Path
    ) -> None:
        train = files.train("tagging")
        told = complaint(command, tmp_path / "run", "tagging", "lstm", train, "--text", "body")
        assert "--text has no effect on tagging; its columns are named by --token, --tag" in told

    def test_broken_lines_of_tags(self, command: Command, tmp_path: Path) -> None:
        train = write(tmp_path / "rows.conll", "the O", "dog B-PET", "", "barks")
        told = complaint(command, tmp_path / "run", "tagging", "lstm", train)
        assert "rows.conll, line 4: 1 column where the other rows have 2; correct the row" in told

    def test_questions_without_answers(self, command: Command, bert: Path, tmp_path: Path) -> None:
        asked = {"id": "1", "question": "who", "answers": []}
        data = [{"title": "", "paragraphs": [{"context": "the cat", "qas": [asked]}]}]
        train = write(tmp_path / "rows.json", json.dumps({"data": data}))
        told = complaint(command, tmp_path / "run", "span_qa", bert, train)
        assert "None of the 1 questions to learn from has an answer" in told

    def test_no_file(self, command: Command, tmp_path: Path) -> None:
        told = complaint(command, tmp_path / "run", "classification", "lstm", tmp_path / "none.csv")
        assert "none.csv" in told


class TestWrongBases:
    @pytest.fixture
    def refused(self, command: Command, files: TaskFiles, tmp_path: Path) -> Any:
        def told(task: str, base: object, *more: object) -> str:
            return complaint(command, tmp_path / "run", task, base, files.train(task), *more)

        return told

    def test_a_base_that_is_none(self, refused: Any, files: TaskFiles, tmp_path: Path) -> None:
        assert "there is no such run, folder or vector file" in refused("tagging", "bret")
        assert "Did you mean 'textcnn'?" in refused("classification", "textcn")
        (tmp_path / "empty").mkdir()
        assert "holds no run of foretext" in refused("classification", tmp_path / "empty")
        refused("classification", files.train("tagging"))

    def test_settings_that_do_not_fit(self, refused: Any, bert: Path, run: Path) -> None:
        told = refused("classification", bert, "--set", "backbone.dim=64")
        assert "[backbone] dim cannot be chosen here: the base has been pretrained with" in told
        told = refused("classification", "lstm", "--set", "finetuning.fresh=true")
        assert "fresh would have no effect" in told
        told = refused("tagging", run, "--set", "backbone.name=transformer")
        assert "cannot start from word vectors; take one that reads words" in told
        told = refused("classification", bert, "--set", "training.learning_rat=1")
        assert "Did you mean 'learning_rate'" in told
        told = refused("tagging", bert, "--set", "task.pooling=mean")
        assert "[task] pooling: there is no such setting" in told
        told = refused("classification", bert, "--budget", "1m", "--set", "training.epochs=2")
        assert "only one can say how long" in told

    def test_the_linear_classifier_learns_labels_of_texts_at_once(self, refused: Any) -> None:
        assert "it learns classification, matching and tagging, not" in refused("span_qa", "linear")
        assert "holds no run to resume" in refused("classification", "linear", "--resume")
        told = refused("classification", "linear", "--search", "10s")
        assert "--search has no effect on 'linear', which learns at once" in told
        told = refused("classification", "linear", "--seeds", 2)
        assert "[finetuning] seeds has no effect on 'linear'; leave it out" in told
        told = refused("classification", "linear", "--set", "linear.inverse_penalty=0")
        assert "[linear] inverse_penalty" in told

    def test_fasttext_learns_labels_of_texts_alone(self, refused: Any) -> None:
        assert "it learns classification, not tagging" in refused("tagging", "fasttext")
        told = refused("classification", "fasttext", "--set", "finetuning.calibrate=true")
        assert "[finetuning] calibrate has no effect on 'fasttext'; leave it out" in told
        told = refused("classification", "fasttext", "--set", "training.steps=3")
        assert (
            "[training]: there is no such section here. There are: classifier, finetuning" in told
        )
        assert "holds no run to resume" in refused("classification", "fasttext", "--resume")

    def test_words_have_no_frame_for_questions(self, refused: Any) -> None:
        assert "span_qa needs a token between question and passage" in refused("span_qa", "lstm")

    def test_without_torch(self, refused: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in [name for name in sys.modules if name.startswith("foretext.finetuning.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "torch", None)
        assert "pip install 'foretext[neural]'" in refused("classification", "textcnn")
