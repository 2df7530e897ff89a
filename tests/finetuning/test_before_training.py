"""A network that learns from a teacher, and one whose base goes on with its pretraining first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import CorpusError, Interrupted, SettingError
from foretext.base.parsing import read_toml
from foretext.data.rows import LabelledText
from foretext.finetuning.adapting import Adaptation
from foretext.finetuning.allotment import Allotment
from foretext.finetuning.before_training import FOLDS, _folds, untrained_words
from foretext.finetuning.job import FinetuneJob
from foretext.finetuning.learner import Learner, Prepared
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.run import prepared
from foretext.finetuning.settings import FinetuningConfig
from foretext.finetuning.task_rows import TaskRows, sampled
from foretext.finetuning.teachers import Teacher, lessons_of
from foretext.interop.config_file import read_config
from foretext.progress.budget import Budget
from foretext.progress.checkpoint import Checkpoints
from foretext.report.run_report import report_run
from foretext.tasks.classification.linear_words import WORDS_FILE
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.lessons import Lessons, Teaching
from tests.task_files import TOPICS, TaskFiles, small_settings

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("textcnn", {"teacher": "lineer"}, "--teacher lineer: there is no such run.* Did you mean 'l"),
    ("textcnn", {"finetuning": {"teacher_weight": 0.9}}, "no effect without --teacher"),
    ("textcnn", {"unlabelled": "texts"}, "--unlabelled has no effect alone"),
    ("textcnn", {"teacher": "linear", "task": "tagging"}, "--teacher is for classification"),
    ("textcnn", {"finetuning": {"adapt": "9s"}}, "'textcnn' is none; leave it out"),
    ("bert", {"finetuning": {"adapt": "soon"}}, "adapt = 'soon': write a time"),
    ("bert", {"finetuning": {"adapt": 0.5}}, "is a share of the budget, and there is none"),
    ("bert", {"finetuning": {"adapt": "9s"}, "budget": "8s"}, "leaves nothing of the budget"),
    ("bert", {"finetuning": {"adapt": "9s", "fresh": True}}, "adapt and fresh"),
    ("linear", {"teacher": "fasttext"}, "--teacher has no effect on 'linear'"),
    ("fasttext", {"unlabelled": "texts"}, "--unlabelled has no effect on 'fasttext'"),
]  # fmt: skip

WORDS = {"word_features": "tfidf"}


def learned(base: Any, files: TaskFiles, out: Path, **more: Any) -> Any:
    settings = {**small_settings(base if isinstance(base, str) else None)}
    settings |= {"finetuning": more.pop("finetuning", {})}
    task = more.pop("task", "classification")
    return ft.finetune(task, base, files.train(task), out, settings=settings, **more)


def facts_of(run: Path) -> dict[str, Any]:
    return RunFolder(run).facts()


def weights_of(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("teacher", ["linear", "fasttext", "self", "ensemble"])
def test_a_teacher_by_name(
    teacher: str, task_files: TaskFiles, bases: dict[str, Path], texts: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    model = learned(
        bases["bert"], task_files, run, teacher=teacher, unlabelled=texts,
        test=task_files.test("classification"),
    )  # fmt: skip
    taught = facts_of(run)["taught"]
    held_out = 6 if teacher == "ensemble" else 0
    assert (taught["name"], taught["labelled"], taught["unlabelled"]) == (
        teacher, 60 - held_out, 24
    )  # fmt: skip
    assert model.ensemble is None  # one network answers
    assert not (run / "linear.safetensors").exists()
    section = read_toml(run / "recipe.toml", SettingError)["run"]
    assert (section["teacher"], section["unlabelled"]) == (teacher, str(texts))
    if teacher == "linear":
        ft.finetune(config=run / "recipe.toml", out=tmp_path / "again")
        assert weights_of(run) == weights_of(tmp_path / "again")
        alone = tmp_path / "alone"
        learned(bases["bert"], task_files, alone)
        assert weights_of(alone) != weights_of(run)


def test_the_teacher_alone_can_be_learned_from(task_files: TaskFiles, tmp_path: Path) -> None:
    """A network that hears nothing but its teacher says what it says."""
    train = task_files.train("classification")
    lines = train.read_text().splitlines()
    turned = {topic: TOPICS[(place + 1) % 3] for place, topic in enumerate(TOPICS)}
    others = [line.split("\t")[0] + "\t" + turned[line.split("\t")[1]] for line in lines[1:]]
    (tmp_path / "turned.tsv").write_text("\n".join([lines[0], *others]) + "\n")
    ft.finetune("classification", "linear", tmp_path / "turned.tsv", tmp_path / "teacher")
    settings = {
        **small_settings("textcnn", epochs=20.0),
        "finetuning": {"teacher_weight": 1.0, "baseline": False},
    }
    model = ft.finetune(
        "classification", "textcnn", train, tmp_path / "run", settings=settings,
        teacher=tmp_path / "teacher", valid=tmp_path / "turned.tsv",
    )  # fmt: skip
    assert model.evaluate(tmp_path / "turned.tsv")["accuracy"] > 0.9
    assert model.evaluate(train)["accuracy"] < 0.1
    opened = ft.load(tmp_path / "teacher")
    again = ft.finetune(
        "classification", "textcnn", train, tmp_path / "again", settings=settings,
        teacher=opened, valid=tmp_path / "turned.tsv",
    )  # fmt: skip
    np.testing.assert_array_equal(again.predict_proba(["a cat"]), model.predict_proba(["a cat"]))


def test_rows_of_which_a_teacher_is_not_sure_are_left_out(
    task_files: TaskFiles, texts: Path, tmp_path: Path
) -> None:
    sure = {"teacher_confidence": 0.8}
    learned("textcnn", task_files, tmp_path / "run", teacher="linear", unlabelled=texts,
            finetuning=sure)  # fmt: skip
    assert 0 < facts_of(tmp_path / "run")["taught"]["unlabelled"] < 24
    assert (
        "unlabelled rows are left out, as the teacher's" in (tmp_path / "run/train.log").read_text()
    )
    with pytest.raises(CorpusError, match=r"with a probability of 0\.9999; lower"):
        learned("textcnn", task_files, tmp_path / "none", teacher="linear", unlabelled=texts,
                finetuning={"teacher_confidence": 0.9999})  # fmt: skip


@pytest.mark.parametrize("saves", [1, 2, 3])
def test_an_interrupted_run_ends_in_the_same_bits(
    saves: int,
    task_files: TaskFiles,
    bases: dict[str, Path],
    texts: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After the teacher's training, after its answers, after the training."""
    more = {"teacher": "self", "unlabelled": texts}
    learned(bases["bert"], task_files, tmp_path / "whole", **more)
    save, count = Checkpoints.save, [0]

    def stops(self: Checkpoints, *args: Any, **options: Any) -> None:
        save(self, *args, **options)
        count[0] += 1
        if count[0] == saves:
            raise Interrupted("SIGTERM stopped it.")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", stops)
        with pytest.raises(Interrupted):
            learned(bases["bert"], task_files, tmp_path / "cut", **more)
    with pytest.raises(SettingError, match=r"began with run.teacher = 'self', not 'linear'"):
        learned(bases["bert"], task_files, tmp_path / "cut", resume=True, teacher="linear",
                unlabelled=texts)  # fmt: skip
    learned(bases["bert"], task_files, tmp_path / "cut", resume=True, **more)
    assert weights_of(tmp_path / "cut") == weights_of(tmp_path / "whole")
    assert not (tmp_path / "cut" / "checkpoints").exists()


class Preparing:
    """A learner whose preparation is written down."""

    def __init__(self, earlier: float, search_seconds: float | None = None) -> None:
        self.finetuning, self.earlier = FinetuningConfig(seeds=2), earlier
        recipe = TaskRecipe(task="t", base="b", train="r", search_seconds=search_seconds)
        self.job = SimpleNamespace(resume=True, recipe=recipe)

    def prepare(self, rows: Any, baseline: Any, seconds: float | None) -> Prepared[Any]:
        self.seconds = seconds
        return Prepared(self, self.earlier)


def test_a_budget_is_for_the_preparation_too() -> None:
    """A resumed command counts what an interrupted one took."""
    rows, learner = TaskRows([], [], []), Preparing(earlier=20.0)
    budget = Budget(100.0, 0.0, clock=lambda: 10.0)
    allotment = Allotment(budget, rows, after_each=5.0, closing=10.0)
    _, left = prepared(cast(Learner, learner), rows, None, allotment)
    assert learner.seconds == pytest.approx(100 - 10 - 10 - 2 * 5)
    assert left is not None
    assert left.training(2).seconds == pytest.approx((70 - 20) / 2)
    assert prepared(cast(Learner, learner), rows, None, None)[1] is None
    assert learner.seconds is None


def test_a_search_that_follows_keeps_its_time() -> None:
    rows, learner = TaskRows([], [], []), Preparing(earlier=0.0, search_seconds=30.0)
    budget = Budget(130.0, 0.0, clock=lambda: 10.0)
    allotment = Allotment(budget, rows, after_each=5.0, closing=10.0)
    prepared(cast(Learner, learner), rows, None, allotment)
    assert learner.seconds == pytest.approx(130 - 30 - 10 - 10 - 2 * 5)


def test_every_trial_of_a_search_learns_from_answers_given_once(
    task_files: TaskFiles, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("optuna")
    answered: list[int] = []
    lessons: list[Lessons] = []
    answer, learn = Teacher.answers_to_own, TextClassifier.taught

    def noted_answer(self: Teacher, rows: Any, *given: Any) -> Any:
        answered.append(len(rows))
        return answer(self, rows, *given)

    def noted_learn(self: TextClassifier, given: Lessons, config: Teaching) -> Any:
        lessons.append(given)
        return learn(self, given, config)

    monkeypatch.setattr(Teacher, "answers_to_own", noted_answer)
    monkeypatch.setattr(TextClassifier, "taught", noted_learn)
    settings = small_settings("textcnn")
    del settings["training"]["learning_rate"]
    ft.finetune(
        "classification", "textcnn", task_files.train("classification"), tmp_path / "run",
        valid=task_files.test("classification"), settings=settings, search="1s",
        teacher="linear", unlabelled=texts,
    )  # fmt: skip
    facts = facts_of(tmp_path / "run")
    assert answered == [60]
    assert facts["taught"]["unlabelled"] == 24
    assert len(lessons) >= facts["search"]["trials"] + 1 >= 2  # the run itself is one more
    assert all((len(each.labelled), len(each.unlabelled)) == (60, 24) for each in lessons)


def test_a_share_of_the_lessons_keeps_rows_and_answers_together() -> None:
    rows = [LabelledText(str(n), ("a",), "") for n in range(10)]
    others = [LabelledText(str(n), (), "") for n in range(10, 30)]
    answers = np.arange(30.0)[:, None] * [1, 2]
    some = lessons_of(Lessons(rows, others, answers), 4)
    assert some.labelled == sampled(rows, 4)
    assert (len(some.labelled), len(some.unlabelled)) == (4, 8)
    numbers = np.array([float(row.text) for row in (*some.labelled, *some.unlabelled)])
    np.testing.assert_array_equal(some.probabilities, numbers[:, None] * [1, 2])
    alone = lessons_of(Lessons(rows, [], answers[:10]), 4)
    assert (len(alone.labelled), alone.probabilities.shape) == (4, (4, 2))


@pytest.mark.slow
def test_pretraining_goes_on_over_the_texts_of_any_task(
    task_files: TaskFiles, bases: dict[str, Path], texts: Path, tmp_path: Path
) -> None:
    base = ft.load(bases["bert"])
    before = {name: weight.clone() for name, weight in base.backbone.state_dict().items()}
    for task in ("classification", "tagging"):
        run = tmp_path / task
        learned(base, task_files, run, task=task, unlabelled=texts, finetuning={"adapt": "1s"})
        adapted = facts_of(run)["adapted"]
        assert adapted["loss_after"] < adapted["loss_before"]
        assert "pretraining went on over" in (run / "train.log").read_text()
    after = base.backbone.state_dict()
    assert all(torch.equal(after[name], weight) for name, weight in before.items())


def test_a_resumed_run_keeps_the_adapted_base(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapt = {"adapt": "1s"}

    def stops(self: Checkpoints, *args: Any, **options: Any) -> None:
        save(self, *args, **options)
        if self.folder.name == "adapted":
            raise Interrupted("SIGTERM stopped it.")

    save = Checkpoints.save
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", stops)
        with pytest.raises(Interrupted):
            learned(bases["bert"], task_files, tmp_path / "run", finetuning=adapt)
    kept = Checkpoints(tmp_path / "run" / "checkpoints" / "adapted").newest(Adaptation)
    assert kept is not None
    learned(bases["bert"], task_files, tmp_path / "run", finetuning=adapt, resume=True)
    assert facts_of(tmp_path / "run")["adapted"] == kept.state.facts


@pytest.mark.parametrize(("base", "more", "sentence"), REFUSED)
def test_what_cannot_work_is_refused_before_rows_are_read(
    base: str,
    more: dict[str, Any],
    sentence: str,
    task_files: TaskFiles,
    bases: dict[str, Path],
    tmp_path: Path,
) -> None:
    options = {"task": "classification", **more}
    settings = {"finetuning": options.pop("finetuning", {})}
    with pytest.raises(SettingError, match=sentence):
        ft.finetune(
            base=bases.get(base, base), train=tmp_path / "none.tsv", out=tmp_path / "run",
            settings=settings, **options,
        )  # fmt: skip
    assert not (tmp_path / "run").exists()


def test_a_teacher_has_to_have_the_labels_of_the_rows(
    task_files: TaskFiles, bases: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "two.tsv").write_text("text\tlabel\n" + "a cat\tcat\na dog\tdog\n" * 9)
    ft.finetune("classification", "linear", tmp_path / "two.tsv", tmp_path / "two")
    with pytest.raises(SettingError, match="has not learned the label 'hen'; give one that"):
        learned("textcnn", task_files, tmp_path / "run", teacher=tmp_path / "two")
    learned("textcnn", task_files, tmp_path / "tags", task="tagging")
    with pytest.raises(SettingError, match="gives no probabilities of labels"):
        learned("textcnn", task_files, tmp_path / "run", teacher=tmp_path / "tags")
    assert not (tmp_path / "run").exists()


def learned_of_words(base: Any, files: TaskFiles, out: Path, **more: Any) -> Any:
    settings = {
        **small_settings(base if isinstance(base, str) else None),
        "task": more.pop("task", WORDS),
        "finetuning": more.pop("finetuning", {}),
    }
    train = files.train("classification")
    return ft.finetune("classification", base, train, out, settings=settings, **more)


@pytest.mark.quick_cases(2)
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
    model = learned_of_words(base, task_files, run, test=test)
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
    learned_of_words("textcnn", task_files, tmp_path / "run")
    ft.finetune(config=tmp_path / "run" / "recipe.toml", out=tmp_path / "again")
    assert weights_of(tmp_path / "run") == weights_of(tmp_path / "again")


@pytest.mark.parametrize("saves", [1, 2])
def test_an_interrupted_run_ends_in_the_same_bits_of_words(
    saves: int, task_files: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the words were learned, and after the training."""
    learned_of_words("textcnn", task_files, tmp_path / "whole")
    save, count = Checkpoints.save, [0]

    def stops(self: Checkpoints, *args: Any, **options: Any) -> None:
        save(self, *args, **options)
        count[0] += 1
        if count[0] == saves:
            raise Interrupted("SIGTERM stopped it.")

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoints, "save", stops)
        with pytest.raises(Interrupted):
            learned_of_words("textcnn", task_files, tmp_path / "cut")
    with monkeypatch.context() as patched:
        patched.setattr(
            "foretext.finetuning.before_training.cross_fitted", None
        )  # is not called again
        learned_of_words("textcnn", task_files, tmp_path / "cut", resume=True)
    assert weights_of(tmp_path / "cut") == weights_of(tmp_path / "whole")
    assert (tmp_path / "cut" / WORDS_FILE).read_bytes() == (
        tmp_path / "whole" / WORDS_FILE
    ).read_bytes()
    assert not (tmp_path / "cut" / "checkpoints").exists()


@pytest.mark.quick_cases(1)
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
        learned_of_words("textcnn", task_files, run, test=test, **more)
    assert ft.load(run).evaluate(test)["accuracy"] == 1.0  # type: ignore[union-attr]


def test_what_does_not(task_files: TaskFiles, tmp_path: Path) -> None:
    for more in ({"finetuning": {"ensemble": True}}, {"teacher": "ensemble"}):
        with pytest.raises(SettingError, match="would count it twice; leave one of the two out"):
            learned_of_words("textcnn", task_files, tmp_path / "run", **more)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"\[task\] word_features = 'bm25'"):
        learned_of_words("textcnn", task_files, tmp_path / "run", task={"word_features": "bm25"})
    assert not (tmp_path / "run").exists()


def test_answers_of_every_face(task_files: TaskFiles, tmp_path: Path) -> None:
    run, test = tmp_path / "run", task_files.test("classification")
    model = learned_of_words("textcnn", task_files, run, test=test)
    assert report_run(run).is_file()
    text = "the dog in the noon"
    assert model.predict([text]).tolist() == ["dog"]
    words = {word.text: word.weight for word in model.explain(text).words}
    assert max(words, key=lambda word: words[word]) == "dog"
    other = learned_of_words(run, task_files, tmp_path / "other", task={})  # its backbone alone
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
