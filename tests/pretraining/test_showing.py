"""The road of `show`: text or files, settings, how many examples, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import foretext as ft
from foretext.base.errors import ForetextError, SettingError
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.recipe import Recipe
from foretext.report.showing import Showing
from foretext.shown import Note, Table, TokenLines
from tests.audit.folders import finished
from tests.language_model.models import learned_tokenizer

TEXT = "the ship sails on the sea\n\nthe judge sits in the court"


def tokens_of(showing: Showing) -> list[tuple[str, ...]]:
    """The tokens of each example."""
    return [
        part.lines[1].tokens
        for shown in showing.shown
        for part in shown.parts
        if isinstance(part, TokenLines)
    ]


def test_a_text_and_a_file_with_it_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text(TEXT)
    settings = {"corpus": {"documents": "blank_line"}}
    of_file, of_path, of_list = (
        ft.show("gpt", given, settings=settings, lang="en")
        for given in (str(file), file, TEXT.split("\n\n"))
    )
    assert ft.show("gpt", TEXT, settings=settings, lang="en") == of_file == of_path == of_list


def test_each_example_is_another_one() -> None:
    shown = tokens_of(ft.show("gpt", TEXT, examples=5, settings=["objective.row_length=4"]))
    assert len(shown) == len(set(shown)) == 5


def test_a_short_text_without_draws_has_one_example() -> None:
    assert len(tokens_of(ft.show("gpt", "the ship sails on the sea", examples=5))) == 1


def test_a_small_text_keeps_its_rare_words() -> None:
    (tokens,) = tokens_of(ft.show("lstm-lm", "the ship sails home", examples=1))
    assert "<unk>" not in tokens
    cut = ft.show(
        "lstm-lm", "the ship the sea", examples=1, settings={"tokenizer": {"min_count": 2}}
    )
    assert "<unk>" in tokens_of(cut)[0]


def test_a_tokenizer_may_be_given(tmp_path: Path) -> None:
    tokenizer = learned_tokenizer("bpe")
    tokenizer.save(tmp_path / "tokenizer.json")
    for given in (tmp_path, tmp_path / "tokenizer.json"):
        (tokens,) = tokens_of(ft.show("gpt", "the ship of the jury", examples=1, tokenizer=given))
        ids = tokenizer.encode("the ship of the jury")
        assert tokens == tuple(
            tokenizer.library.decoder.decode([tokenizer.tokens[each]]).replace(" ", "▁")
            for each in ids
        )
    with pytest.raises(ForetextError, match="nowhere"):
        ft.show("gpt", TEXT, tokenizer=tmp_path / "nowhere.json")


def test_rows_are_short_unless_the_user_says_more() -> None:
    long = "the ship and the wave and the sea " * 40
    assert {len(row) for row in tokens_of(ft.show("modern-gpt", long))} == {32}
    more = ft.show("modern-gpt", long, settings=["objective.row_length=48"])
    assert {len(row) for row in tokens_of(more)} == {48}


def test_the_last_part_has_the_shapes_of_a_batch() -> None:
    showing = ft.show("gpt", TEXT, examples=2, settings=["objective.row_length=5"], lang="en")
    table = showing.shown[-1].parts[0]
    assert isinstance(table, Table)
    shapes = {row[0]: row[1] for row in table.rows}
    assert shapes == {"ids": "(2, 5)", "targets.next": "(2, 5)"}


@pytest.mark.parametrize("number", [0, -1, 10**9])
@pytest.mark.parametrize("what", ["gpt", "bpe", "word2vec", "text_to_text", "run"])
def test_numbers_of_examples_that_make_no_sense_are_refused(what: str, number: int) -> None:
    given = finished("bert") if what == "run" else what
    with pytest.raises(ForetextError, match="examples = "):
        ft.show(given, TEXT, examples=number)
    with pytest.raises(ForetextError, match="seed = "):
        ft.show(given, TEXT, seed=-1 - abs(number))


def test_settings_go_into_a_recipe_by_name() -> None:
    with pytest.raises(ForetextError, match="takes no settings"):
        ft.show(ft.Recipe.load("gpt"), TEXT, settings=["objective.row_length=4"])
    assert ft.show(ft.Recipe.load("gpt"), TEXT, lang="en").title.startswith("causal_lm")
    with pytest.raises(ForetextError, match="row_lenght"):
        ft.show("gpt", TEXT, settings=["objective.row_lenght=4"])


def test_of_a_large_text_the_beginning_is_read(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("the ship sails\n\n" * 600_000 + "zebra zebra\n")
    showing = ft.show("lstm-lm", file, examples=1, lang="en")
    first, note, *_ = notes_of(showing)
    size = file.stat().st_size
    assert first == f"Of {size:,} bytes of text the first 4,194,304 are read here."
    assert "Documents: 2" in note


def notes_of(showing: Showing) -> list[str]:
    """The sentences of the first part."""
    return [part.text for part in showing.shown[0].parts if isinstance(part, Note)]


@pytest.mark.parametrize("name", ["word2vec", "gpt", "bpe", "word"])
def test_of_every_kind_the_note_says_how_much_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foretext.pretraining.looked_text.LARGE", 4000)
    monkeypatch.setattr("foretext.pretraining.looked_text.BEGINNING", 2000)
    for number, is_noted in ((400, True), (40, False)):
        file = tmp_path / f"{number}.txt"
        file.write_text("the ship sails home\n" * number)
        found = notes_of(ft.show(name, file, examples=1, lang="en"))
        said = f"Of {20 * number:,} bytes of text the first 2,000 are read here."
        assert (said in found) is is_noted


@pytest.mark.parametrize("name", ["word2vec", "lda", "lstm-lm", "bert", "bpe", "word"])
def test_a_note_says_that_rare_words_are_kept(name: str) -> None:
    rare = "the ship sails home and the judge\n\nsits in the court of the town today"
    (note,) = (each for each in notes_of(ft.show(name, rare, lang="en")) if "min_count" in each)
    advice = re.search(r'settings=\["(.*?)"\]', note)
    assert advice is not None
    frequent = f"{rare}\n\n" + f"{rare[:23]}\n\n" * 9
    kept = ft.show(name, frequent, settings=[advice[1]], lang="en")
    assert not any("min_count" in each for each in notes_of(kept))
    assert kept.shown != ft.show(name, frequent, lang="en").shown


def test_no_note_where_no_word_is_rare_or_none_is_learned() -> None:
    text = "the ship sails\n\n" * 5
    for name in ("word2vec", "bpe"):
        assert not any("min_count" in each for each in notes_of(ft.show(name, text)))
    run = finished("word2vec")
    found = notes_of(ft.show("word2vec", "the dog barks in the morning", tokenizer=run))
    assert not any("min_count" in each for each in found)


@pytest.mark.parametrize("section", ["column", "encoding"])
@pytest.mark.parametrize("name", ["gpt", "word2vec", "bpe"])
def test_settings_of_files_are_refused_beside_a_text(name: str, section: str) -> None:
    with pytest.raises(SettingError, match=rf"\[corpus\] {section} has no effect"):
        ft.show(name, TEXT, settings=[f"corpus.{section}=utf-8"])
    with pytest.raises(ForetextError, match="no such file"):
        ft.show(name, "missing.csv", settings=[f"corpus.{section}=utf-8"])


@pytest.mark.parametrize(("name", "kind"), [("gpt", "bpe"), ("wordpiece", "wordpiece")])
def test_settings_of_a_tokenizer_are_refused_beside_one(
    name: str, kind: str, tmp_path: Path
) -> None:
    learned_tokenizer(kind).save(tmp_path / "tokenizer.json")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"\[tokenizer\] has no effect"):
        ft.show(name, TEXT, tokenizer=tmp_path, settings=["tokenizer.vocab_size=300"])


NOTHING = [None, 3, 2.5, b"bert", np.zeros(3), [], ft.WordVectors]


@pytest.mark.parametrize("recipe", NOTHING, ids=str)
def test_what_is_no_recipe_and_no_model_is_refused_by_a_sentence(recipe: object) -> None:
    with pytest.raises(SettingError, match="shows nothing; give the name of a recipe"):
        ft.show(recipe, TEXT)


@pytest.mark.parametrize("recipe", ["x" * 300, "x" * 5000 + ".toml", "a\0b"])
def test_names_that_can_be_no_path_are_refused_by_a_sentence(recipe: str) -> None:
    with pytest.raises(SettingError) as raised:
        ft.show(recipe, TEXT)
    assert len(str(raised.value).splitlines()) == 1


def test_a_file_of_a_recipe_is_named_without_its_suffix(tmp_path: Path) -> None:
    file = tmp_path / "own.gpt.toml"
    file.write_text(Recipe.load("gpt").text())
    assert ft.show(file, TEXT, lang="en").title.startswith("own.gpt: ")
    assert ft.show(str(file), TEXT, lang="en").title.startswith("own.gpt: ")


def test_a_defect_of_an_objective_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("misspelt")

    for objective, recipe in ((CausalLM, "gpt"), (MaskedLM, "modern-bert")):
        monkeypatch.setattr(objective, "counts", broken)
        with pytest.raises(KeyError, match="misspelt"):
            ft.show(recipe, TEXT)


def test_predictions_are_counted_unless_a_network_makes_them() -> None:
    for recipe, is_counted in (("modern-bert", True), ("gpt", True), ("electra", False)):
        parts = ft.show(recipe, TEXT, lang="en").shown[-1].parts
        assert (len(parts) == 2) is is_counted
