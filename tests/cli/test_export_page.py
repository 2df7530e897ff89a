"""``foretext export --page``: what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foretext.exporting.page import checking, folder
from foretext.tasks.classification.linear import LinearClassifier
from tests.cli.conftest import Command


@pytest.fixture
def classifier(tmp_path: Path) -> Path:
    texts, labels = ["the ship", "a wave", "the jury", "a judge"], ["sea", "sea", "law", "law"]
    LinearClassifier().fit(texts, labels).save(tmp_path / "classifier")
    return tmp_path / "classifier"


def test_a_page_is_written(
    classifier: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    page = classifier.with_name("page")
    done = command("export", str(classifier), "-o", str(page), "--page")
    assert "bytes to load, numbers as" in done.out
    assert "the page has not been compared with Python yet" in done.err
    assert f"open {page}/index.html" in done.out
    assert (page / "check.html").is_file()

    again = command("export", str(classifier), "-o", str(page), "--page", "--overwrite", "--json")
    said = json.loads(again.out)
    assert said["kind"] == "linear classifier"
    assert said["check"] is None


def test_a_large_page_is_not_opened_as_a_file(
    classifier: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "PROGRAM", "no-such-program")
    monkeypatch.setattr(folder, "LARGEST_SCRIPT", 10)
    page = classifier.with_name("page")
    done = command("export", str(classifier), "-o", str(page), "--page")
    assert "index.html" not in done.out
    assert f"see it by `python -m http.server --directory {page}`" in done.out
    assert "too large to be opened as a local file" in done.err
    assert "Serve the folder" in (page / "README.md").read_text()


def test_options_of_the_other_export_are_refused(classifier: Path, command: Command) -> None:
    for options, sentence in (
        (("--page", "--to", "static"), "--page and --to static are two exports"),
        (("--limit", "5"), "--limit has no effect without --page"),
        (("--runtime", "npm"), "--runtime has no effect without --page"),
        (("--page", "--to", "onnx"), "--to has no effect on a page of this model, which is no"),
        (("--page", "--runtime", "npm"), "--runtime has no effect on a page of this model"),
    ):
        done = command("export", str(classifier), "-o", "page", *options)
        assert done.code == 2
        assert sentence in done.err
