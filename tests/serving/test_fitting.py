"""Texts that are longer than a model reads at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from foretext.base.errors import CorpusError
from foretext.serving.abilities.embed import EmbedOptions
from foretext.serving.errors import CannotServe
from foretext.serving.fitting import Cutting, Fitted, fit
from foretext.serving.served_model import ServedModel
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.language_model.models import bert, learned_tokenizer, lstm

LONG = "the king and the queen live in a castle by the sea " * 30
NAMES = ("causal", "masked", "classifier", "sentences", "writer")


def fitted(model: Any, *inputs: tuple[str, ...], **cutting: Any) -> Fitted:
    return asyncio.run(fit(model, inputs, Cutting(**cutting)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", ["right", "left"])
def test_a_text_is_cut_to_the_tokens_that_are_read(
    models: dict[str, Any], name: str, direction: Any
) -> None:
    model = models[name]
    encode, room = model.tokenizer.encode, model.text_framing.room
    whole = encode(LONG)
    found = fitted(model, (LONG,), truncate=True, direction=direction)
    [(text,)] = found.inputs
    ids = encode(text)
    assert len(ids) == room
    assert ids == (whole[:room] if direction == "right" else whole[-room:])
    assert found.num_tokens == [model.text_framing.max_length]
    assert found.warning == (
        f"1 of 1 inputs is longer than the {model.text_framing.max_length} tokens that the model "
        "reads at once and was cut"
    )


def test_letters_of_several_tokens_are_cut_whole(models: dict[str, Any]) -> None:
    model = models["causal"]  # bytes are its smallest tokens, and an emoji is four of them
    for direction in ("left", "right"):
        [(text,)] = fitted(model, ("🚢" * 99,), truncate=True, direction=direction).inputs
        assert set(text) == {"🚢"}
        assert 0 < len(model.tokenizer.encode(text)) <= model.text_framing.room


def test_words_are_cut_where_no_places_are_known() -> None:
    model = lstm()
    room, words = model.text_framing.room, LONG.split()
    for direction, kept in (("right", words[:room]), ("left", words[-room:])):
        [(text,)] = fitted(model, (LONG,), truncate=True, direction=direction).inputs
        assert text.split() == kept


def test_long_texts_go_through_as_they_are_but_with_a_warning(models: dict[str, Any]) -> None:
    found = fitted(models["masked"], ("the king",), (LONG,), (LONG,))
    assert found.inputs == [("the king",), (LONG,), (LONG,)]
    assert found.warning is not None
    assert found.warning.startswith("2 of 3 inputs are longer than the 32 tokens")
    assert found.warning.endswith("were cut, or read in windows whose results are averaged")
    long = len(models["masked"].tokenizer.encode(LONG)) + 2
    assert found.num_tokens == [4, long, long]


def test_they_are_refused_where_a_client_wants_that(models: dict[str, Any]) -> None:
    short = ("the king",)
    assert fitted(models["masked"], short, truncate=False).warning is None
    with pytest.raises(CannotServe) as refused:
        fitted(models["masked"], short, (LONG,), truncate=False)
    assert str(refused.value) == (
        "inputs.1 has 362 tokens with those around it, and the model reads 32 at once; shorten it, "
        "or leave out truncate."
    )


@pytest.mark.parametrize("direction", ["right", "left"])
def test_of_a_pair_the_longer_text_is_cut(models: dict[str, Any], direction: Any) -> None:
    model = models["matcher"]
    encode, room = model.tokenizer.encode, model.text_framing.pair_room
    for pair in (("the ship", LONG), (LONG, "the ship"), (LONG, LONG)):
        [cut] = fitted(model, pair, truncate=True, direction=direction).inputs
        assert sum(len(encode(text)) for text in cut) == room
        assert "the ship" not in pair or "the ship" in cut


def test_models_without_an_end_read_everything(models: dict[str, Any]) -> None:
    for name in ("words", "linear"):
        assert fitted(models[name], (LONG,), truncate=False) == Fitted([(LONG,)], None, None)


def test_what_is_no_text_is_refused(models: dict[str, Any]) -> None:
    for text in ("\ud800", "\ud800" * 10_000):
        with pytest.raises(CorpusError, match="cannot encode the text"):
            fitted(models["masked"], (text,))


def test_cut_text_gets_the_vector_that_python_gives() -> None:
    model = bert()
    tokenizer = learned_tokenizer("wordpiece")
    ids = tokenizer.encode(LONG)[: model.text_framing.room]
    [(text,)] = fitted(model, (LONG,), truncate=True).inputs
    assert (model.embed([text]) == model.embed([tokenizer.decode(ids)])).all()


def test_a_text_is_encoded_once_to_be_counted_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = bert(), list[str]()
    encode = SubwordTokenizer._encode_batch

    def noted(self: SubwordTokenizer, texts: Sequence[str]) -> list[list[int]]:
        asked.extend(texts)
        return encode(self, texts)

    expected = model.embed(["the king", "a queen"])
    monkeypatch.setattr(SubwordTokenizer, "_encode_batch", noted)
    served = ServedModel("bert", model)
    served.get_ready()
    asked.clear()
    found = fitted(model, ("the king",), ("a queen",))
    vectors = served.ability("embed").run([text for (text,) in found.inputs], EmbedOptions())
    assert asked == ["the king", "a queen"]
    np.testing.assert_array_equal(vectors, expected)
