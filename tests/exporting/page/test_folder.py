from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ForetextError, ModelFileError, OutputError, SettingError
from foretext.exporting.page import checking, export_page, folder
from foretext.exporting.page.check_texts import HARD_TEXTS
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.vectors.word_vectors import WordVectors
from tests.exporting.page.models import MODELS, QUICK, ROWS
from tests.exporting.page.node import change_wanted, needs_node

CASES = [
    pytest.param(make, id=name, marks=() if name in QUICK else pytest.mark.slow)
    for name, make in MODELS.items()
]


@needs_node
@pytest.mark.parametrize("make", CASES)
def test_the_page_answers_as_python_does(make: Callable[[Path], Path], tmp_path: Path) -> None:
    report = export_page(make(tmp_path), tmp_path / "page", quiet=True)

    assert report.check is not None
    assert report.check.texts >= 500 + len(HARD_TEXTS)
    assert report.check.lists >= 50
    assert report.check.numbers > 500
    assert 0 < report.check.largest <= report.bound
    names = {path.name for path in (tmp_path / "page").iterdir()}
    assert names == {
        "index.html", "page.js", "page.css", "icon.svg", "model.safetensors", "model.js",
        "export.json", "README.md",
    }  # fmt: skip
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "page").iterdir()}
    assert report.bytes == sum(sizes.values())
    unloaded = sum(sizes[name] for name in ("model.js", "export.json", "README.md"))
    assert report.loaded_bytes == report.bytes - unloaded
    said = json.loads((tmp_path / "page" / "export.json").read_text())
    assert said["check"]["texts"] == report.check.texts
    assert said["kind"] == report.kind
    card = (tmp_path / "page" / "README.md").read_text()
    assert f"{report.check.texts} texts" in card
    assert report.dtype in card


@needs_node
def test_an_answer_that_differs_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = MODELS["two labels"](tmp_path)

    def wrong(wanted: dict[str, Any]) -> None:
        wanted["probabilities"][2][0] += 0.01

    change_wanted(monkeypatch, wrong)
    with pytest.raises(ModelFileError, match=r"does not answer as Python does.*text 3, label 0"):
        export_page(path, tmp_path / "page", quiet=True)
    assert not (tmp_path / "page").exists()


def other_rank(found: list[Any]) -> None:
    found[1] = ["other", found[1][1]]


WRONG: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str]] = {
    "neighbour": ("vectors", lambda wanted: other_rank(wanted["neighbors"][0][1]), "neighbours of"),
    "fewer": ("vectors", lambda wanted: wanted["analogies"][1][1].extend("x" * 30), "here, 40"),
    "analogy": ("vectors", lambda wanted: other_rank(wanted["analogies"][0][1]), "analogy"),
    "cosine": ("vectors", lambda wanted: wanted["cosines"].__setitem__(30, 3), "texts 30 and 31"),
    "label": ("two labels", lambda wanted: wanted["labels"].reverse(), r"labels \[0,1\] here"),
    "one more": ("two labels", lambda wanted: wanted["probabilities"][4].append(0), "5, labels: 2"),
    "best": ("two labels", lambda wanted: wanted["best"].__setitem__(0, [7, 0.9]), "7 in Python"),
}  # fmt: skip


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_all_that_differs_is_an_error(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, change, sentence = WRONG[case]
    change_wanted(monkeypatch, change)
    with pytest.raises(ModelFileError, match=sentence):
        export_page(MODELS[name](tmp_path), tmp_path / "page", quiet=True)


@needs_node
def test_words_that_are_cut_otherwise_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = MODELS["linear words"](tmp_path)
    change_wanted(monkeypatch, lambda wanted: wanted["parts"].__setitem__(3, ["theship"]))
    with pytest.raises(ModelFileError, match=r"text 4 .*theship"):
        export_page(path, tmp_path / "page", quiet=True)


def wanted_text(page: Path) -> str:
    """Return the answers of Python that a page has, as JSON."""
    script = (page / "wanted.js").read_text().removeprefix('"use strict";\n')
    return script.removeprefix("globalThis.foretextWanted = ").removesuffix(";\n")


def test_without_node_a_page_for_the_check_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    report = export_page(MODELS["linear words"](tmp_path), tmp_path / "page", quiet=True)

    assert report.check is None
    assert "check.html" in " ".join(report.notes)
    texts = json.loads(wanted_text(tmp_path / "page"))
    assert texts["texts"][: len(HARD_TEXTS)] == list(HARD_TEXTS)
    assert (tmp_path / "page" / "check.html").is_file()
    assert "foretext-check" not in (tmp_path / "page" / "index.html").read_text()


def test_numbers_take_more_bytes_where_answers_would_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    path = MODELS["vectors"](tmp_path)
    assert export_page(path, tmp_path / "page", quiet=True).dtype == "float16"
    monkeypatch.setattr(folder, "BOUND", 1.0)
    assert export_page(path, tmp_path / "small", quiet=True).dtype == "int8"
    monkeypatch.setattr(folder, "BOUND", 1e-9)
    report = export_page(path, tmp_path / "large", quiet=True)
    assert (report.dtype, report.bound) == ("float32", folder.EXACT_BOUND)


def test_limit_keeps_the_first_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    path = MODELS["fasttext vectors"](tmp_path)
    export_page(path, tmp_path / "page", limit=4, quiet=True)
    head = (tmp_path / "page" / "model.safetensors").read_bytes()
    assert b'["the","ship","wave","ships"]' in head


def test_texts_of_the_user_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    (tmp_path / "own.txt").write_text("a text of mine\n\nanother one\n")
    path = MODELS["linear words"](tmp_path)
    export_page(path, tmp_path / "page", texts=tmp_path / "own.txt", quiet=True)
    wanted = (tmp_path / "page" / "wanted.js").read_text()
    assert "a text of mine" in wanted
    assert "another one" in wanted
    with pytest.raises(ForetextError, match="nothing"):
        export_page(path, tmp_path / "other", texts=tmp_path / "nothing.txt", quiet=True)


def test_texts_in_memory_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    path = MODELS["linear words"](tmp_path)
    ft.export_page(path, tmp_path / "page", texts=["kept in memory", "a second"], quiet=True)
    assert "kept in memory" in (tmp_path / "page" / "wanted.js").read_text()


def test_an_old_node_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "node"
    program.write_text("#!/bin/sh\necho v12.22.9\n")
    program.chmod(0o755)
    monkeypatch.setattr(checking, "PROGRAM", str(program))
    report = export_page(MODELS["linear words"](tmp_path), tmp_path / "page", quiet=True)
    assert report.check is None
    assert "Node.js 18 or later is needed" in " ".join(report.notes)
    assert "v12.22.9" in " ".join(report.notes)
    program.write_text("no program at all")
    assert "does not run" in checking.found_node().lack


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of fine-tuning, with the rows that it has learned from."""
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    rows = "".join(f'"{text}",{label}\n' for text, label in zip(*ROWS, strict=True))
    (tmp_path / "rows.csv").write_text("text,label\n" + rows)
    ft.finetune("classification", "linear", tmp_path / "rows.csv", tmp_path / "run", quiet=True)
    return tmp_path / "run"


def test_texts_of_the_run_are_taken(run: Path, tmp_path: Path) -> None:
    report = export_page(run, tmp_path / "page", quiet=True)
    assert ROWS[0][4] in json.loads(wanted_text(tmp_path / "page"))["texts"]
    assert "was found" not in " ".join(report.notes)
    (tmp_path / "rows.csv").unlink()
    report = export_page(run, tmp_path / "without", quiet=True)
    assert "none of the texts that the model has learned from was found" in " ".join(report.notes)


def test_a_damaged_recipe_is_an_error(run: Path, tmp_path: Path) -> None:
    recipe = (run / "recipe.toml").read_text()
    (run / "recipe.toml").write_text(recipe.replace("train = ", "train = 3 #"))
    with pytest.raises(ModelFileError, match=r"recipe\.toml is damaged: .*train"):
        export_page(run, tmp_path / "page", quiet=True)


def test_the_model_is_not_written_over(run: Path, tmp_path: Path) -> None:
    before = sorted(run.iterdir())
    for output in (run, tmp_path, run / "page", tmp_path / "." / "other" / ".." / "run"):
        with pytest.raises(OutputError, match="the export would replace the model"):
            export_page(run, output, overwrite=True, quiet=True)
    assert sorted(run.iterdir()) == before


@pytest.mark.slow
def test_networks_are_refused(tmp_path: Path) -> None:
    from tests.language_model.models import bert

    bert().save(tmp_path / "bert")
    with pytest.raises(
        SettingError, match="A web page can run networks that classify texts or pairs"
    ):
        export_page(tmp_path / "bert", tmp_path / "page", quiet=True)


def test_refusals(tmp_path: Path) -> None:
    path = MODELS["linear words"](tmp_path)
    with pytest.raises(
        SettingError, match=r"this kind of model \(linear classifier\).*vectors\. Train it with"
    ):
        export_page(path, tmp_path / "page", limit=4, quiet=True)
    with pytest.raises(SettingError, match="limit = 1: give a whole number from 2"):
        export_page(path, tmp_path / "page", limit=1, quiet=True)
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="--overwrite"):
        export_page(path, tmp_path / "there", quiet=True)


def test_a_classifier_that_needs_jieba_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    settings: dict[str, Any] = {"dim": 4, "epochs": 1, "workers": 1}
    learned = FastTextClassifier(pre_tokenizer="chinese_words", **settings).fit(*ROWS)
    learned.save(tmp_path / "model")
    with pytest.raises(SettingError, match=r"jieba, which does not run in a browser"):
        export_page(tmp_path / "model", tmp_path / "page", quiet=True)


def test_vectors_of_words_in_capitals_have_those_of_their_small_letters() -> None:
    """Texts with a word that only small letters have n-grams for were an error."""
    from tests.exporting.page.models import saved_vectors

    vectors: WordVectors = saved_vectors(with_ngrams=True)
    assert np.isfinite(vectors.embed("Ⅷ WAVY")).all()
    np.testing.assert_array_equal(vectors.embed("WAVY"), vectors.get_vector("wavy"))
