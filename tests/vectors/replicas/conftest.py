"""A text that the processes of all tests here learn."""

from __future__ import annotations

import pytest

import foretext as ft
from foretext.data.token_writer import write_tokens
from foretext.recipe import Recipe
from foretext.tokenizers import WordTokenizer
from tests.vectors.replicas.models import Text
from tests.vectors.texts import write_topics


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Text:
    folder = tmp_path_factory.mktemp("text")
    recipe = Recipe.load("word2vec", ["tokenizer.min_count=1"])
    corpus = ft.Corpus(write_topics(folder / "topics.txt"), recipe.corpus)
    tokenizer = WordTokenizer.learn(recipe.tokenizer, corpus)
    return tokenizer, write_tokens(corpus, tokenizer, folder / "tokens", valid_rate=0.1)
