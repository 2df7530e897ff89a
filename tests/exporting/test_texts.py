"""Which texts a copy is compared by."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import CorpusError, ModelFileError
from foretext.exporting.texts import HARD, compared_rows

MODEL = ft.LinearClassifier().fit(["a ship", "a field"] * 4, ["sea", "land"] * 4)


def recipe(folder: Path, text: str) -> Path:
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return folder


def test_texts_of_a_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("one text\nanother text\n", encoding="utf-8")
    run = recipe(tmp_path, f'[corpus]\nsources = ["{corpus}"]\n')
    found = compared_rows(run, None, 1, MODEL)
    assert found.rows[:2] == [("one text",), ("another text",)]
    assert found.num_own == 2


def test_rows_of_a_task(tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("text\tlabel\na ship sails\tsea\na green field\tland\n", encoding="utf-8")
    run = recipe(tmp_path, f'[run]\ntrain = "{rows}"\n')
    found = compared_rows(run, None, 1, MODEL)
    assert found.rows[:2] == [("a ship sails",), ("a green field",)]
    assert (found.num_own, len(found.rows)) == (2, 2 + len(HARD))


@pytest.mark.parametrize("text", ['[corpus]\nsources = ["gone.txt"]\n', '[run]\ntrain = "no"\n'])
def test_files_that_are_gone(text: str, tmp_path: Path) -> None:
    assert compared_rows(recipe(tmp_path, text), None, 1, MODEL).num_own == 0
    assert compared_rows(tmp_path / "no-run", None, 1, MODEL).num_own == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('corpus = "x"\n', "corpus"),
        ("[corpus]\nsources = 5\n", "sources"),
        ("[run]\ntrain = {}\n", "train"),
        ("[run", "is not TOML"),
    ],
)
def test_a_damaged_recipe_is_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        compared_rows(recipe(tmp_path, text), None, 1, MODEL)


def test_questions_are_compared_in_full() -> None:
    rows = compared_rows(Path("no-run"), ["a long question " * 50], 2, MODEL, asks=True).rows
    assert all(question.strip() and passage.strip() for question, passage in rows)
    assert sum(len(question) > 400 for question, _ in rows) >= 2
    assert rows[-1][0].startswith("a long question")


def test_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    with pytest.raises(CorpusError, match=r"no text to compare|empty"):
        compared_rows(tmp_path, tmp_path / "empty.txt", 1, MODEL)
