"""A recipe whose parts do not fit is refused before text is read; any tokenizer can be checked."""

from __future__ import annotations

import pytest

from foretext.pretraining.building import check_model
from foretext.recipe import Recipe

TOKENIZERS = ("bpe", "wordpiece", "unigram", "word")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_few_words_are_enough_for_every_tokenizer(name: str) -> None:
    recipe = "gpt-tiny" if name == "bpe" else "bert-tiny"
    counts = [] if name == "unigram" else ["tokenizer.min_count=9"]
    check_model(Recipe.load(recipe, [f"tokenizer.name={name}", *counts]))
