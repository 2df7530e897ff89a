"""Opening the folder of a comparison: its best model, or a sentence that says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.artifact import holds_comparison, load_task
from foretext.base.errors import ModelFileError, VectorFileError
from foretext.tasks.classification.linear import LinearClassifier


@pytest.fixture
def comparison(tmp_path: Path) -> Path:
    """One that is finished, and whose best model is a linear classifier."""
    folder = tmp_path / "compare"
    (folder / "candidates").mkdir(parents=True)
    for name in ("plan.json", "compare.json"):
        (folder / name).write_text("{}")
    texts, labels = ["a ship", "a wave", "a judge", "a jury"] * 3, ["sea", "sea", "law", "law"] * 3
    LinearClassifier(min_texts=1).fit(texts, labels).save(folder / "best")
    return folder


def test_of_a_comparison_the_best_model_is_opened(comparison: Path) -> None:
    assert holds_comparison(comparison)
    assert ft.load(comparison, LinearClassifier).predict(["a ship"]) == ["sea"]
    assert load_task(comparison).judged_by == load_task(comparison / "best").judged_by


def test_an_unfinished_comparison_is_not_opened(comparison: Path) -> None:
    (comparison / "compare.json").unlink()
    with pytest.raises(ModelFileError, match="unfinished comparison; finish it with --resume"):
        ft.load(comparison)


def test_a_comparison_without_a_best_model_says_so(comparison: Path) -> None:
    (comparison / "best").rename(comparison / "worst")
    with pytest.raises(ModelFileError, match="without a model to use"):
        ft.load(comparison)


@pytest.mark.parametrize("name", ["recipe.toml", "config.json"])
def test_a_run_is_no_comparison(comparison: Path, name: str) -> None:
    (comparison / name).write_text("{}")
    assert not holds_comparison(comparison)


def test_a_folder_of_anything_is_no_comparison(tmp_path: Path) -> None:
    (tmp_path / "candidates").mkdir()
    assert not holds_comparison(tmp_path)
    with pytest.raises(VectorFileError, match="no run of foretext"):
        ft.load(tmp_path)
