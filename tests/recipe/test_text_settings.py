"""The settings that a text decides, in recipes, runs and verbs."""

from __future__ import annotations

from pathlib import Path

import pytest

from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe, corpus_of_run
from foretext.recipe.text_settings import (
    advised,
    advised_tokenizer,
    corpus_to_inspect,
    folding,
    resolved,
    resolved_as,
    suited,
)
from foretext.tokenizers.wordpiece import WordPiece
from tests.corpus.wrapped_texts import book

GERMAN = "Der grüne Präsident grüßte schon das schöne Mädchen am Fluss.\n" * 60


@pytest.fixture
def wrapped_book(tmp_path: Path) -> Path:
    path = tmp_path / "book.txt"
    path.write_text(book(12), encoding="utf-8")
    return path


@pytest.fixture
def german(tmp_path: Path) -> Path:
    path = tmp_path / "german.txt"
    path.write_text(GERMAN, encoding="utf-8")
    return path


def test_what_is_auto_gets_the_value_that_the_text_decides(
    wrapped_book: Path, german: Path
) -> None:
    recipe = Recipe.load("word2vec")
    found = resolved(recipe, Corpus(wrapped_book)).sections()
    assert (found["corpus"]["lines"], found["corpus"]["documents"]) == ("wrapped", "blank_lines")
    assert found["tokenizer"]["pre_tokenizer"] == "unicode_words"
    model = resolved(Recipe.load("modern-bert"), Corpus(german)).sections()
    assert model["tokenizer"]["lowercase"] is False
    chosen = Recipe.load("word2vec", ["corpus.lines=whole", "corpus.documents=file"])
    assert resolved(chosen, Corpus(wrapped_book, chosen.corpus)).corpus == chosen.corpus


def test_a_resumed_run_keeps_what_it_began_with(wrapped_book: Path) -> None:
    recipe = Recipe.load("word2vec")
    earlier = resolved(recipe, Corpus(wrapped_book))
    assert resolved_as(recipe, earlier) == earlier
    chosen = Recipe.load("word2vec", ["corpus.lines=whole"])
    assert resolved_as(chosen, earlier).corpus.lines == "whole"
    by_auto = earlier.with_settings("tokenizer", lowercase=False)
    assert resolved_as(recipe, by_auto).tokenizer.lowercase
    assert not resolved_as(recipe, by_auto, auto=True).tokenizer.lowercase


def test_advice_changes_only_what_nobody_chose(german: Path) -> None:
    recipe, changed = advised(Recipe.load("word2vec"), Corpus(german))
    assert not recipe.tokenizer.lowercase
    assert [each.setting for each in changed] == [
        "corpus.documents=line",
        "tokenizer.lowercase=false",
    ]
    recipe, _ = advised(Recipe.load("word2vec", ["tokenizer.lowercase=true"]), Corpus(german))
    assert recipe.tokenizer.lowercase


def test_sentences_are_split_only_where_they_are_predicted(wrapped_book: Path) -> None:
    vectors, _ = advised(Recipe.load("word2vec"), Corpus(wrapped_book))
    assert vectors.corpus.sentences == "line"
    model = Recipe.load("modern-bert", ["objective.next_sentence=true", "backbone.num_segments=2"])
    model, _ = advised(model, Corpus(wrapped_book))
    assert model.corpus.sentences == "punctuation"


def test_a_tokenizer_gets_the_settings_that_it_has(german: Path) -> None:
    found = advised_tokenizer(WordPiece.Config, {"corpus": {"lines": "whole"}}, Corpus(german))
    assert found == {
        "corpus": {"documents": "line", "lines": "whole"},
        "tokenizer": {"lowercase": False},
    }


def test_what_was_found_is_said(wrapped_book: Path) -> None:
    notes = suited(Recipe.load("word2vec"), Corpus(wrapped_book)).notes
    assert "cut at about 72 columns; they are joined" in notes[0]
    assert notes[1].startswith("text: all letters become lower case, accents stay")
    assert folding(Recipe.load("gpt")).startswith("upper and lower case differ")


def test_an_inspection_reads_as_word_vectors_do(german: Path) -> None:
    text, words = corpus_to_inspect([str(german)], ["tokenizer.min_count=2"])
    assert (words.min_count, words.lowercase, text.config.documents) == (2, True, "auto")
    text, words = corpus_to_inspect([str(german)], [], auto=True)
    assert (words.lowercase, text.config.documents) == (False, "line")
    with pytest.raises(SettingError, match="no such section here"):
        corpus_to_inspect([str(german)], ["vectors.epochs=2"])


def test_a_run_keeps_the_values_and_can_be_repeated(wrapped_book: Path, tmp_path: Path) -> None:
    recipe = Recipe.load("word2vec", ["vectors.epochs=1", "vectors.workers=1"])
    first = run_recipe(recipe, wrapped_book, tmp_path / "run", auto=True)
    kept = Recipe.of_run(tmp_path / "run" / "recipe.toml")
    assert kept.corpus.lines == "wrapped"
    again = run_recipe(Recipe.load(tmp_path / "run" / "recipe.toml"), wrapped_book)
    assert again.recipe == kept
    assert (again.model.vectors == first.model.vectors).all()
    assert "in lower case" not in (tmp_path / "run" / "README.md").read_text()
    assert "all letters become lower case" in (tmp_path / "run" / "README.md").read_text()


def test_another_text_shows_by_itself_whether_its_lines_are_wrapped(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text('[corpus]\nlines = "wrapped"\ndocuments = "file"\n')
    config = corpus_of_run(tmp_path / "recipe.toml")
    assert (config.lines, config.documents) == ("auto", "file")


def test_images_have_no_text_to_go_by(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="--auto is for text"):
        run_recipe(Recipe.load("autoencoder"), tmp_path, tmp_path / "run", auto=True)
