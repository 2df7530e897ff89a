"""Texts as tokens with their places, and ids as text."""

from __future__ import annotations

from typing import Any

import pytest

from foretext.base.errors import SettingError
from foretext.serving.abilities.decode import Decode, DecodeOptions
from foretext.serving.abilities.states import States
from foretext.serving.abilities.tokenize import Tokenize, TokenizeOptions
from tests.language_model.models import lstm
from tests.serving.models import TEXTS


@pytest.mark.parametrize("name", ["causal", "masked", "classifier", "writer", "sentences"])
def test_tokens_are_those_that_the_model_reads(models: dict[str, Any], name: str) -> None:
    model, texts = models[name], [*TEXTS, "", "Ünïcode 漢字 🚢"]
    plain = Tokenize(model).run(texts, TokenizeOptions(special=False))
    framed = Tokenize(model).run(texts, TokenizeOptions())
    for text, tokens, whole in zip(texts, plain, framed, strict=True):
        ids = [token.id for token in tokens]
        assert ids == model.tokenizer.encode(text)
        assert [token.id for token in whole] == model.text_framing.around(ids)
        assert all(token.text == text[token.start : token.stop] for token in tokens)
        assert {token.start for token in whole if token.special} <= {None}


def test_words_have_no_places() -> None:
    model = lstm()
    [tokens] = Tokenize(model).run(["the ship"], TokenizeOptions())
    assert [token.text for token in tokens if not token.special] == ["the", "ship"]


def test_states_are_those_of_the_last_layer(models: dict[str, Any]) -> None:
    [tokens] = Tokenize(models["masked"]).run(TEXTS[:1], TokenizeOptions())
    [states] = States(models["masked"]).run(TEXTS[:1], None)
    assert len(states) == len(tokens)
    assert (states == models["masked"].layers(TEXTS[0]).states[-1]).all()


def test_ids_become_text(models: dict[str, Any]) -> None:
    tokenizer = models["masked"].tokenizer
    ids = models["masked"].text_framing.around(tokenizer.encode("the ship"))
    decode = Decode(models["masked"])
    assert decode.run([ids, []], DecodeOptions()) == ["the ship", ""]
    assert decode.run([ids], DecodeOptions(skip_special=False)) == ["[CLS] the ship [SEP]"]
    for wrong in (tokenizer.vocab_size, -1):
        with pytest.raises(SettingError, match=f"id {wrong}: the tokens of this model have ids"):
            decode.run([[wrong]], DecodeOptions())
