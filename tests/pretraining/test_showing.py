"""The road of `show`: text or files, settings, how many examples, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.base.errors import ForetextError
from foretext.report.showing import Showing
from foretext.shown import Table, TokenLines

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
    from tests.language_model.models import learned_tokenizer

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
def test_numbers_of_examples_that_make_no_sense_are_refused(number: int) -> None:
    with pytest.raises(ForetextError, match="examples = "):
        ft.show("gpt", TEXT, examples=number)


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
    (note, *_) = showing.shown[0].parts
    assert "Documents: 6" not in str(note)
    assert "Documents: 2" in str(note)
