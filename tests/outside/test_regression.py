"""A task from outside the package: one file, and every verb works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import foretext as ft
from foretext.artifact import RunFolder
from foretext.base.errors import UntrustedError
from foretext.extend import CorpusError, SettingError
from foretext.report.run_report import report_run
from foretext.report.task_card import task_card
from foretext.report.task_files import Examination, TaskFacts
from foretext.report.task_report import write_task_report
from foretext.tasks.examining import examine
from tests.outside.regression import NumberedText, NumbersConfig, Regression, Regressor
from tests.text_bodies import learn, word_body

WORDS = {"cat": 1.0, "dog": 2.0, "hen": 3.0}
NAME = "tests.outside.regression:Regression"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.tsv"
    lines = [f"the {word} in the morning\t{WORDS[word]}" for word in WORDS] * 8
    path.write_text("\n".join(["text\tnumber", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def rows(file: Path) -> list[NumberedText]:
    return Regression().read(file)


@pytest.fixture(scope="module")
def model(rows: list[NumberedText], tmp_path_factory: pytest.TempPathFactory) -> Regressor:
    config = Regression().head_config(dropout=0.0)
    model = Regressor.begin(word_body("textcnn"), config, rows)
    learn(model, rows, tmp_path_factory.mktemp("run"), steps=60, learning_rate=1e-2)
    return model


@pytest.fixture(autouse=True)
def _trust_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foretext.base.registry._trusted", set())


def test_it_learns(model: Regressor, rows: list[NumberedText], file: Path) -> None:
    assert model.kind == NAME
    assert model.predict(["the hen in the morning"])[0] == pytest.approx(3.0, abs=0.5)
    figures = model.evaluate(file)
    assert figures["spearman"] > 0.9
    with model.in_training():
        assert model.figures(rows) == pytest.approx(figures, abs=1e-2)  # no cast to bfloat16


def test_lines_are_answered(model: Regressor) -> None:
    (record,) = model.predictions(['{"text": "the cat"}'])
    assert set(record) == {"text", "number"}
    assert model.shown(record) == f"{record['number']:.4f}\tthe cat"
    with pytest.raises(SettingError, match="-k has no effect on regression"):
        next(model.predictions(["the cat"], k=2))


def test_its_baselines_have_the_same_figures(model: Regressor, rows: list[NumberedText]) -> None:
    learned, mean = Regression().baseline(rows), Regression().majority(rows)
    figures = learned.answers(rows).figures(rows)
    assert set(figures) == {"rows", "spearman", "pearson"}
    assert figures["spearman"] > 0.9
    assert mean.answers(rows).figures(rows)["spearman"] == 0


def test_a_folder_of_it_opens_where_its_module_is_trusted(
    model: Regressor, rows: list[NumberedText], tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    assert RunFolder(tmp_path / "model").kind == NAME
    with pytest.raises(UntrustedError, match="tests"):
        ft.load(tmp_path / "model")
    ft.trust("tests.outside")
    again = ft.load(tmp_path / "model")
    assert type(again) is Regressor
    assert again.figures(rows) == model.figures(rows)


def test_card_and_report_need_its_facts_alone(
    model: Regressor, rows: list[NumberedText], tmp_path: Path
) -> None:
    examination = {"part": "test", **examine(model, rows)}
    Examination.model_validate(examination)
    figures = examination["figures"]
    facts = {
        "foretext": "0.1.0", **model.described(), "base": "textcnn", "rows": len(rows), "cut": 0,
        "method": "randomly initialised", "steps": 60, "seconds": 1.0, "valid": None,
        "test": figures, "baseline": None, "seeds": None,
    }  # fmt: skip
    facts = TaskFacts.model_validate(json.loads(json.dumps(facts))).model_dump(exclude_unset=True)
    card = task_card(facts, {}, tmp_path)
    assert card.startswith("# Regression on textcnn")
    assert "model.predictions" in card
    page = tmp_path / "report.html"
    write_task_report(
        page, title="Mine", facts=facts, settings={}, metrics=[], examination=examination
    )
    assert "The largest errors" in page.read_text()


def test_a_wrong_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text,grade\na,one\n")
    with pytest.raises(CorpusError, match="line 2: 'grade' holds 'one' where a finite number"):
        Regression().read(path, NumbersConfig(number="grade"))


def test_it_is_fine_tuned_like_any_task(file: Path, tmp_path: Path) -> None:
    run, settings = tmp_path / "run", {"training": {"epochs": 2.0, "precision": "fp32"}}
    model = ft.finetune(NAME, "textcnn", file, run, test=file, settings=settings)
    facts = RunFolder(run).facts()
    assert (facts["kind"], facts["title"], facts["judged_by"]) == (NAME, "Regression", "spearman")
    assert facts["test"]["spearman"] == model.evaluate(file)["spearman"]
    assert facts["baseline"]["name"] == "TF-IDF and ridge regression"
    assert facts["majority"]["test"]["spearman"] == 0
    assert facts["verdict"]["against"] == "baseline"
    assert "Spearman" in facts["verdict"]["sentence"]
    assert "# Regression on textcnn" in (run / "README.md").read_text()
    assert report_run(run).is_file()
    again = ft.load(run)
    assert again.predict(["the hen"]) == pytest.approx(model.predict(["the hen"]), abs=1e-2)
