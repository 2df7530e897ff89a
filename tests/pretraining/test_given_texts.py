"""Texts in memory on their way into a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import SettingError
from foretext.pretraining.given_texts import keep_memory, read_memory
from foretext.pretraining.job import PretrainingJob
from foretext.recipe import Recipe
from foretext.run_folder import RunFolder


def test_a_resumed_run_needs_the_same_texts(tmp_path: Path) -> None:
    recipe = Recipe.load("word2vec")
    texts = ft.texts(["one text", "another"])
    job = PretrainingJob(run=RunFolder(tmp_path), recipe=recipe, corpus=texts)
    keep_memory(job)
    resumed = replace(job, resume=True)
    keep_memory(resumed)
    keep_memory(replace(resumed, corpus=ft.texts(iter(["one text", "another"]))))
    with pytest.raises(SettingError, match="began with 2 texts in memory, and this is 1 texts in"):
        keep_memory(replace(resumed, corpus=ft.texts(["one text"])))
    with pytest.raises(SettingError, match="and this is other text"):
        keep_memory(replace(resumed, corpus=ft.texts(["one text", "other"])))
    with pytest.raises(SettingError, match="and this is a list of files; resume with what it"):
        keep_memory(replace(resumed, corpus="corpus.txt"))


def test_a_run_of_files_is_resumed_with_files(tmp_path: Path) -> None:
    recipe = Recipe.load("word2vec")
    job = PretrainingJob(run=RunFolder(tmp_path), recipe=recipe, corpus="corpus.txt")
    keep_memory(job)
    keep_memory(replace(job, resume=True))
    with pytest.raises(SettingError, match="began with files, and this is 1 texts in memory"):
        keep_memory(replace(job, resume=True, corpus=ft.texts(["one text"])))


def test_the_log_says_what_was_learned_from(tmp_path: Path) -> None:
    ft.pretrain("word2vec", ["the ship and the harbour"] * 20, tmp_path / "run")
    assert "20 texts in memory: 19 documents" in (tmp_path / "run" / "train.log").read_text()


def test_lists_of_words_are_for_word_vectors() -> None:
    with pytest.raises(SettingError, match="give each text as a string"):
        read_memory(Recipe.load("bert-tiny"), [["a", "b"]])
    chosen = Recipe.from_settings("word2vec", {"lowercase": True})
    recipe, _ = read_memory(chosen, [["A", "b"]])
    assert (recipe.tokenizer.pre_tokenizer, recipe.tokenizer.lowercase) == ("whitespace", True)


@pytest.mark.parametrize("auto", [False, True])
def test_settings_that_the_text_decides_change_no_words(tmp_path: Path, auto: bool) -> None:
    """A corpus is opened again with them; its temporary file holds JSON, which nobody may see."""
    texts = ["Der König liegt im Wald.", "Das Schiff fährt im Hafen."] * 100
    vectors = ft.pretrain("word2vec", texts, tmp_path / "run", auto=auto)
    words = {"der", "könig", "liegt", "im", "wald", "das", "schiff", "fährt", "hafen"}
    assert {word.lower() for word in vectors.index_to_key} == words
    of_words = ft.pretrain("word2vec", [text.split() for text in texts], auto=auto)
    assert set(of_words.index_to_key) == {word for text in texts for word in text.split()}
    kept = Recipe.of_run(tmp_path / "run" / "recipe.toml")
    assert kept.corpus.format == "auto"
