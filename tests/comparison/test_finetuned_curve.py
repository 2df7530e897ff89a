"""`finetune --curve`: one model, learned from fewer labels beside the run that has all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from foretext.base.errors import Interrupted, OutputError, SettingError
from foretext.comparison import finetuned_curve
from foretext.comparison.answers import KeptAnswers
from foretext.comparison.draws import Labels
from foretext.comparison.finetuned_curve import finetune_curve
from foretext.comparison.local_worker import LocalWorker
from foretext.comparison.worker import JobFailed
from foretext.finetuning import auto
from foretext.finetuning.recipe import TaskRecipe
from foretext.finetuning.run import run_finetuning
from foretext.run_folder import RunFolder
from tests.comparison.test_preparing import write_rows
from tests.finetuning.test_auto import texts


def recipe_of(folder: Path, **changes: Any) -> TaskRecipe:
    given = {
        "task": "classification",
        "base": "linear",
        "train": write_rows(folder / "train.txt", 30),
        "test": write_rows(folder / "test.txt", 10, first=100),
    }
    return TaskRecipe(**{**given, **changes})


def learned(recipe: TaskRecipe, out: Path, labels: Labels = (6, 20, "all"), **options: Any) -> Any:
    return finetune_curve(recipe, out, labels, draws=2, quiet=True, **options)


def stopped(recipe: TaskRecipe, out: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Learn from all rows and from 6, and stop at 20."""

    class Stopping(LocalWorker):
        def run(self, job: Any, *, limit: float | None = None) -> Any:
            if "labels-20" in job.out:
                raise Interrupted("stopped")
            return super().run(job, limit=limit)

    with monkeypatch.context() as patched:
        patched.setattr(finetuned_curve, "LocalWorker", Stopping)
        with pytest.raises(Interrupted):
            learned(recipe, out, **options)


def test_the_run_has_a_curve_whose_last_point_is_itself(tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = learned(recipe_of(tmp_path), out, report=True)
    assert found["labels"] == [6, 20, 60]
    (line,) = found["lines"]
    assert [point["draws"] for point in line["points"]] == [2, 2, 1]
    facts = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert line["points"][-1]["value"] == pytest.approx(facts["test"]["accuracy"])
    assert len(found["cells"]) == 5
    assert found["sentence"].startswith("linear has accuracy")
    assert json.loads((out / "label_curve.json").read_text(encoding="utf-8")) == found
    assert not list((out / "curve").rglob("draw-*-run"))
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "By number of labels" in page
    assert 'data-chart="labels"' in page


def test_all_rows_are_a_point_in_any_case(tmp_path: Path) -> None:
    assert learned(recipe_of(tmp_path), tmp_path / "run", (6,))["labels"] == [6, 60]


def test_what_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, out = recipe_of(tmp_path), tmp_path / "run"
    whole = learned(recipe, tmp_path / "whole")
    stopped(recipe, out, monkeypatch)
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("answers.json")}
    assert len(kept) == 2
    again = learned(recipe, out, resume=True)
    assert again["lines"] == whole["lines"]
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    with pytest.raises(OutputError, match="finished"):
        learned(recipe, out, resume=True)


def test_a_stopped_curve_goes_on_with_the_same_rows_and_settings_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, out = recipe_of(tmp_path), tmp_path / "run"
    stopped(recipe, out, monkeypatch)
    rows = {path: path.read_bytes() for path in (out / "curve" / "rows").iterdir()}
    other = write_rows(tmp_path / "other.txt", 30, first=500)
    for changes, said in [
        ({"train": other}, r"run.train = '.*train.txt', not '.*other.txt'"),
        ({"test": other}, r"run.test = "),
        ({"settings": {"linear": {"min_texts": 2}}}, "linear.min_texts = None, not 2"),
        ({"settings": {"rows": {"encoding": "latin-1"}}}, "rows.encoding = 'utf-8'"),
        ({"budget_seconds": 60.0}, "run.budget = None, not 60.0"),
    ]:
        with pytest.raises(SettingError, match=said):
            learned(recipe_of(tmp_path, **changes), out, resume=True)
    with pytest.raises(SettingError, match=r"curve\.labels = "):
        learned(recipe, out, (6, 30), resume=True)
    assert {path: path.read_bytes() for path in rows} == rows
    assert learned(recipe, out, ("all", 6, 20), resume=True)["labels"] == [6, 20, 60]


@pytest.mark.parametrize(("name", "first"), [("train.txt", 500), ("test.txt", 300)])
def test_rows_that_changed_since_a_curve_began_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, first: int
) -> None:
    recipe, out = recipe_of(tmp_path), tmp_path / "run"
    stopped(recipe, out, monkeypatch)
    before = (tmp_path / name).read_bytes()
    write_rows(tmp_path / name, 30, first=first)
    with pytest.raises(SettingError, match="have changed since it began; give the same rows"):
        learned(recipe, out, resume=True)
    (tmp_path / name).write_bytes(before)
    assert learned(recipe, out, resume=True)["labels"] == [6, 20, 60]


def test_a_finished_run_gets_a_curve_of_its_own_rows(tmp_path: Path) -> None:
    recipe, out = recipe_of(tmp_path), tmp_path / "run"
    run_finetuning(recipe, out, quiet=True)
    other = write_rows(tmp_path / "other.txt", 30, first=500)
    for changes, said in [
        ({"train": other}, "run.train = "),
        ({"valid": other}, "run.valid = None"),
        ({"settings": {"rows": {"ragged": True}}}, "rows.ragged = False, not True"),
    ]:
        with pytest.raises(SettingError, match=said):
            learned(recipe_of(tmp_path, **changes), out, resume=True)
    assert learned(recipe, out, resume=True)["labels"] == [6, 20, 60]


def test_a_replaced_run_has_a_curve_of_other_rows(tmp_path: Path) -> None:
    out = tmp_path / "run"
    learned(recipe_of(tmp_path), out)
    other = recipe_of(tmp_path, train=write_rows(tmp_path / "other.txt", 25, first=500))
    assert learned(other, out, overwrite=True)["labels"] == [6, 20, 50]


def test_a_model_that_fails_is_named_and_the_others_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(LocalWorker):
        def run(self, job: Any, *, limit: float | None = None) -> Any:
            if "labels-6" in job.out:
                raise JobFailed("6 rows are too few.", "refused", 0.5)
            return super().run(job, limit=limit)

    monkeypatch.setattr(finetuned_curve, "LocalWorker", Failing)
    found = learned(recipe_of(tmp_path), tmp_path / "run")
    assert found["labels"] == [20, 60]
    assert [cell["sentence"] for cell in found["cells"]][:2] == ["6 rows are too few."] * 2


def recipe_with_texts(folder: Path, number: int) -> TaskRecipe:
    """Learn by `auto` from rows and from texts in a table with the same columns."""
    for name, rows in (("train", texts(40, 0)), ("test", texts(60, 2)), ("more", texts(number, 1))):
        lines = "".join(f"{text},{label}\n" for text, label in rows)
        (folder / f"{name}.csv").write_text(f"body,topic\n{lines}", "utf-8")
    files = {name: str(folder / f"{name}.csv") for name in ("train", "test")}
    settings = {"rows": {"text": "body", "label": "topic"}}
    return TaskRecipe(
        "classification", "auto", unlabelled=str(folder / "more.csv"), settings=settings, **files
    )


@pytest.fixture
def pretrained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what `auto` pretrains, as it does so: in few epochs, of little text."""
    found, real = list[str](), auto.run_recipe

    def run(recipe: Any, *rest: Any, **options: Any) -> Any:
        found.append(recipe.name)
        return real(recipe, *rest, **options)

    monkeypatch.setattr(auto, "run_recipe", run)
    monkeypatch.setattr(auto, "LEAST_BYTES", 5_000)
    monkeypatch.setattr(auto, "EPOCHS", (1, 1))
    return found


def alone(recipe: TaskRecipe, curve: Path, number: int, out: Path, **options: Any) -> Any:
    """Learn from the rows of the first draw of a curve; return their number and the figures."""
    rows = curve / "rows" / f"train-{number}-draw-0.jsonl"
    changes: Any = {"train": str(rows), "test": str(curve / "rows" / "test.jsonl")}
    texts = {"unlabelled": str(curve / "rows" / "unlabelled.jsonl"), "settings": {}}
    run_finetuning(replace(recipe, **changes, **texts), out, quiet=True, **options)
    return json.loads((out / "config.json").read_text("utf-8"))


def test_texts_are_pretrained_on_once_and_each_number_learns_from_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pretrained: list[str]
) -> None:
    recipe, out = recipe_with_texts(tmp_path, 300), tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(finetuned_curve, "_discard_texts", lambda curve: None)
        found = learned(recipe, out, (9,))
    assert pretrained == ["doc2vec", "word2vec"]
    assert [cell["sentence"] for cell in found["cells"]] == [None] * 3
    assert found["labels"] == [9, 40]
    bases = (out / "curve" / "bases").absolute()
    facts = alone(recipe, out / "curve", 9, tmp_path / "alone", bases=bases)
    assert pretrained == ["doc2vec", "word2vec"]
    assert "doc2vec + word2vec, self-trained" in [view["view"] for view in facts["views"]]
    kept = KeptAnswers.load(out / "curve" / "labels-9" / "draw-0")
    assert facts["test"]["accuracy"] == kept.score > 0.6


def test_without_enough_text_texts_teach_each_number(tmp_path: Path) -> None:
    recipe, out = recipe_with_texts(tmp_path, 200), tmp_path / "run"
    learned(recipe, out, (6,))
    assert not (out / "curve" / "rows" / "unlabelled.jsonl").exists()
    assert not (out / "curve" / "bases").exists()
    kept = KeptAnswers.load(out / "curve" / "labels-6" / "draw-0")
    (out / "curve" / "rows" / "unlabelled.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text, _ in texts(200, 1)), "utf-8"
    )
    facts = alone(recipe, out / "curve", 6, tmp_path / "alone")
    assert "words, naive Bayes with EM, texts weigh 0.3" in [
        view["view"] for view in facts["views"]
    ]
    assert facts["test"]["accuracy"] == kept.score > 0.6


def test_what_was_pretrained_is_kept_until_the_curve_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pretrained: list[str]
) -> None:
    recipe, out = recipe_with_texts(tmp_path, 300), tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(auto, "EmbeddingLearner", Unlearned)
        with pytest.raises(Interrupted):
            learned(recipe, out)
    stopped(recipe, out, monkeypatch, resume=True)
    (tmp_path / "more.csv").write_text("body\nanother text\n", "utf-8")
    with pytest.raises(SettingError, match="have changed since it began; give the same rows"):
        learned(recipe, out, resume=True)
    recipe_with_texts(tmp_path, 300)
    assert learned(recipe, out, resume=True)["labels"] == [6, 20, 40]
    assert pretrained == ["doc2vec", "word2vec"]
    assert not (out / "curve" / "bases").exists()


class Unlearned(auto.EmbeddingLearner):
    """Is stopped after the pretraining."""

    def start(self, rows: Any) -> Any:
        """Stop."""
        raise Interrupted("stopped")


@pytest.mark.slow
def test_a_finished_run_pretrains_again_for_its_curve(
    tmp_path: Path, pretrained: list[str]
) -> None:
    recipe, out = recipe_with_texts(tmp_path, 300), tmp_path / "run"
    run_finetuning(recipe, out, quiet=True)
    with pytest.raises(SettingError, match=r"run\.unlabelled = "):
        learned(replace(recipe, unlabelled=str(tmp_path / "test.csv")), out, (6,), resume=True)
    found = learned(recipe, out, (6,), resume=True)
    assert found["labels"] == [6, 40]
    assert pretrained == ["doc2vec", "word2vec"] * 2
    assert not (out / "curve" / "bases").exists()


def test_what_pretrains_nothing_does_not_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread(learner: Any) -> Any:
        raise AssertionError("rows are read")

    monkeypatch.setattr(finetuned_curve, "read_rows", unread)
    curve: Any = SimpleNamespace(run=RunFolder(tmp_path / "run"))
    finetuned_curve._pretrain(recipe_of(tmp_path), curve, quiet=True)
    with pytest.raises(AssertionError, match="rows are read"):
        finetuned_curve._pretrain(recipe_with_texts(tmp_path, 9), curve, quiet=True)


def test_sentences_are_tagged_over_vectors_that_were_pretrained_once(
    tmp_path: Path, pretrained: list[str]
) -> None:
    for name, rows in (("train", texts(40, 0)), ("test", texts(20, 2))):
        words = ["\n".join(f"{w} {'O' if len(w) < 5 else 'B-X'}" for w in text.split())
                 for text, _ in rows]  # fmt: skip
        (tmp_path / f"{name}.conll").write_text("\n\n".join(words) + "\n", "utf-8")
    (tmp_path / "more.txt").write_text("\n".join(text for text, _ in texts(300, 1)), "utf-8")
    train, test, more = (str(tmp_path / name) for name in ("train.conll", "test.conll", "more.txt"))
    recipe = TaskRecipe("tagging", "auto", train, test=test, unlabelled=more)
    found = learned(recipe, tmp_path / "run", (5,))
    assert pretrained == ["word2vec"]
    assert found["labels"] == [5, 40]
    assert [cell["sentence"] for cell in found["cells"]] == [None] * 3


@pytest.mark.parametrize(
    ("changes", "labels", "said"),
    [
        ({"test": None}, (6, "all"), "give them with --test"),
        ({}, ("all",), "give numbers of labels beside all rows"),
        ({"teacher": "linear"}, (6,), "--curve and --teacher do not go together"),
        ({"search_seconds": 9.0}, (6,), "--curve and --search do not go together"),
        (
            {"unlabelled": "more.txt", "settings": {"finetuning": {"adapt": "2m"}}},
            (6,),
            "leave --adapt and --unlabelled out",
        ),
    ],
)
def test_what_has_no_curve_is_refused_before_the_run(
    tmp_path: Path, changes: dict[str, Any], labels: Labels, said: str
) -> None:
    with pytest.raises(SettingError, match=said):
        learned(recipe_of(tmp_path, **changes), tmp_path / "run", labels)
    assert not (tmp_path / "run").exists()
