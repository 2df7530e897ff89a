"""Sentences of errors have a length that fits a screen, whatever a file holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foretext as ft
from foretext.base.errors import (
    LONGEST_MESSAGE,
    ForetextError,
    ModelFileError,
    SettingError,
    UnknownWordError,
    bounded,
    did_you_mean,
)
from foretext.base.parsing import parse_json
from foretext.base.parsing.toml_file import parse_toml
from foretext.corpus import Corpus
from foretext.recipe import Recipe

LONG = "x" * 100_000
SPACED = "many words " * 10_000


def test_a_long_value_loses_its_middle() -> None:
    said = str(ForetextError(f"run/config.json: 'dim' = '{LONG}' is no number; write it again."))
    assert said.startswith("run/config.json: 'dim' = 'xxx")
    assert said.endswith("xxx' is no number; write it again.")
    assert len(said) < 300


def test_a_long_sentence_keeps_its_remedy() -> None:
    said = str(SettingError(f"rows.csv:3: {SPACED} is no label; correct the row."))
    assert said.startswith("rows.csv:3: many words")
    assert said.endswith("is no label; correct the row.")
    assert len(said) < LONGEST_MESSAGE


def test_usual_sentences_are_as_they_were() -> None:
    path = "/".join(["folder"] * 40)
    for message in ("short", f"{path}/config.json is missing; fetch it again.", "a b " * 70):
        assert str(ForetextError(message)) == message
    assert str(ForetextError()) == ""
    assert UnknownWordError("shp", ["ship"]).word == "shp"


@given(st.text(max_size=50), st.integers(0, 5000), st.text(max_size=50))
def test_every_message_is_bounded(first: str, number: int, last: str) -> None:
    said = bounded(first + "漢 x"[number % 3] * number + last)
    assert len(said) <= LONGEST_MESSAGE
    assert said[:20] == (first + "漢 x"[number % 3] * number + last)[:20]


@pytest.mark.parametrize("value", [LONG, SPACED, "9" * 100_000, "\u001b[2J" * 20_000])
@pytest.mark.parametrize("kind", ["json", "key", "toml", "setting", "vectors", "rows", "corpus"])
def test_errors_of_files_with_long_values_are_short(tmp_path: Path, value: str, kind: str) -> None:
    path = tmp_path / "file"
    plain = value.replace("\u001b", "")

    def vectors() -> None:
        path.write_text(f"2 2\na 1 {plain}\nb 1 2\n")
        ft.load(path)

    def rows() -> None:
        (tmp_path / "r.csv").write_text(f'text,label\nship,{plain}\n"sea,land\n')
        ft.LinearClassifier.task.read(tmp_path / "r.csv")

    def corpus() -> None:
        (tmp_path / "c.jsonl").write_text(json.dumps({plain: 1}) + "\n")
        list(Corpus(tmp_path / "c.jsonl"))

    asked: dict[str, Callable[[], object]] = {
        "json": lambda: parse_json(
            json.dumps({"dim": value}), "config.json", ModelFileError, dict[str, int]
        ),
        "key": lambda: parse_json(
            json.dumps({value: "a"}), "config.json", ModelFileError, dict[str, int]
        ),
        "toml": lambda: parse_toml(f"{plain} = = 1", "recipe.toml", ModelFileError),
        "setting": lambda: Recipe.load("word2vec", {"vectors": {value: value}}),
        "vectors": vectors,
        "rows": rows,
        "corpus": corpus,
    }
    with pytest.raises(ForetextError) as raised:
        asked[kind]()
    assert len(str(raised.value)) <= LONGEST_MESSAGE


def test_a_name_is_offered_once() -> None:
    assert (
        did_you_mean("word2vek", ["word2vec", "glove", "word2vec"]) == " Did you mean 'word2vec'?"
    )
    assert did_you_mean("x", ["word2vec"]) == ""
