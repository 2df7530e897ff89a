from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import ForetextError, OutputError, SettingError
from foretext.exporting.page import checking, folder, write_page
from foretext.exporting.page.check_texts import HARD_TEXTS
from foretext.tasks.fasttext.classifier import FastTextClassifier
from foretext.vectors.word_vectors import WordVectors
from tests.exporting.page.models import MODELS, QUICK, ROWS

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
CASES = [
    pytest.param(make, id=name, marks=() if name in QUICK else pytest.mark.slow)
    for name, make in MODELS.items()
]


@needs_node
@pytest.mark.parametrize("make", CASES)
def test_the_page_answers_as_python_does(make: Callable[[Path], Path], tmp_path: Path) -> None:
    report = write_page(make(tmp_path), tmp_path / "page", quiet=True)

    assert report.check is not None
    assert report.check.texts >= 500 + len(HARD_TEXTS)
    assert report.check.compared > report.check.texts
    assert 0 < report.check.largest <= report.bound
    names = {path.name for path in (tmp_path / "page").iterdir()}
    assert names == {
        "index.html", "page.js", "page.css", "icon.svg", "model.safetensors", "model.js",
        "export.json", "README.md",
    }  # fmt: skip
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
    own = checking.check_by_node

    def wrong(model: Path, wanted: dict[str, Any]) -> Any:
        wanted["probabilities"][2][0] += 0.01
        return own(model, wanted)

    monkeypatch.setattr(folder, "check_by_node", wrong)
    with pytest.raises(OutputError, match=r"does not answer as Python does.*text 3, label 0"):
        write_page(path, tmp_path / "page", quiet=True)
    assert not (tmp_path / "page").exists()


@needs_node
def test_words_that_are_cut_otherwise_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = MODELS["linear words"](tmp_path)
    own = checking.check_by_node

    def wrong(model: Path, wanted: dict[str, Any]) -> Any:
        wanted["parts"][3] = ["theship"]
        return own(model, wanted)

    monkeypatch.setattr(folder, "check_by_node", wrong)
    with pytest.raises(OutputError, match=r"text 4 .*theship"):
        write_page(path, tmp_path / "page", quiet=True)


def test_without_node_a_page_for_the_check_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    report = write_page(MODELS["linear words"](tmp_path), tmp_path / "page", quiet=True)

    assert report.check is None
    assert "check.html" in " ".join(report.notes)
    wanted = (tmp_path / "page" / "wanted.js").read_text().removeprefix('"use strict";\n')
    texts = json.loads(wanted.removeprefix("globalThis.foretextWanted = ").removesuffix(";\n"))
    assert texts["texts"][: len(HARD_TEXTS)] == list(HARD_TEXTS)
    assert (tmp_path / "page" / "check.html").is_file()
    assert "foretext-check" not in (tmp_path / "page" / "index.html").read_text()


def test_numbers_take_more_bytes_where_answers_would_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    path = MODELS["vectors"](tmp_path)
    assert write_page(path, tmp_path / "page", quiet=True).dtype == "float16"
    monkeypatch.setattr(folder, "BOUND", 1.0)
    assert write_page(path, tmp_path / "small", quiet=True).dtype == "int8"
    monkeypatch.setattr(folder, "BOUND", 1e-9)
    report = write_page(path, tmp_path / "large", quiet=True)
    assert (report.dtype, report.bound) == ("float32", folder.EXACT_BOUND)


def test_limit_keeps_the_first_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    path = MODELS["fasttext vectors"](tmp_path)
    write_page(path, tmp_path / "page", limit=4, quiet=True)
    head = (tmp_path / "page" / "model.safetensors").read_bytes()
    assert b'["the","ship","wave","ships"]' in head


def test_texts_of_the_user_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    (tmp_path / "own.txt").write_text("a text of mine\n\nanother one\n")
    path = MODELS["linear words"](tmp_path)
    write_page(path, tmp_path / "page", texts=tmp_path / "own.txt", quiet=True)
    wanted = (tmp_path / "page" / "wanted.js").read_text()
    assert "a text of mine" in wanted
    assert "another one" in wanted
    with pytest.raises(ForetextError, match="nothing"):
        write_page(path, tmp_path / "other", texts=tmp_path / "nothing.txt", quiet=True)


@pytest.mark.slow
def test_networks_are_refused(tmp_path: Path) -> None:
    from tests.language_model.models import bert

    bert().save(tmp_path / "bert")
    with pytest.raises(SettingError, match="no page of foretext runs"):
        write_page(tmp_path / "bert", tmp_path / "page", quiet=True)


def test_refusals(tmp_path: Path) -> None:
    path = MODELS["linear words"](tmp_path)
    with pytest.raises(SettingError, match="--limit has no effect on a linear classifier"):
        write_page(path, tmp_path / "page", limit=4, quiet=True)
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="--overwrite"):
        write_page(path, tmp_path / "there", quiet=True)


def test_a_classifier_that_needs_jieba_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("jieba")
    settings: dict[str, Any] = {"dim": 4, "epochs": 1, "workers": 1}
    learned = FastTextClassifier(pre_tokenizer="chinese_words", **settings).fit(*ROWS)
    learned.save(tmp_path / "model")
    with pytest.raises(SettingError, match=r"jieba, which does not run in a browser"):
        write_page(tmp_path / "model", tmp_path / "page", quiet=True)


def test_vectors_of_words_in_capitals_have_those_of_their_small_letters() -> None:
    """Texts with a word that only small letters have n-grams for were an error."""
    from tests.exporting.page.models import saved_vectors

    vectors: WordVectors = saved_vectors(with_ngrams=True)
    assert np.isfinite(vectors.embed("Ⅷ WAVY")).all()
    np.testing.assert_array_equal(vectors.embed("WAVY"), vectors.get_vector("wavy"))
