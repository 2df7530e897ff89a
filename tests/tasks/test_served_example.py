"""The example that a server names for a form: words that the model knows."""

from __future__ import annotations

import pytest

import foretext as ft

TEXTS = {
    "court": ["the king of the castle", "a queen in the castle"],
    "sea": ["the ship left the harbour", "a wave at the anchor"],
}
CHINESE = {"体育": ["球队赢了比赛", "球员进球"], "财经": ["股票上涨", "银行利率"]}


@pytest.mark.parametrize("given", [TEXTS, CHINESE])
def test_the_words_of_the_example_speak_for_the_first_label(given: dict[str, list[str]]) -> None:
    rows = [(text, label) for label, texts in given.items() for text in texts * 6]
    model = ft.finetune("classification", "linear", rows, quiet=True)
    example = model.served_facts()["examples"]["text"]
    assert model.predict(example) == model.label_names[0]


@pytest.mark.parametrize(
    ("texts", "languages"),
    [
        ("he has lived here for three years and this is the first time that we see it", ["en"]),
        ("вот корабль и вот море", []),
    ],
)
def test_a_model_without_weights_of_words_shows_the_language_of_its_words(
    texts: str, languages: list[str]
) -> None:
    rows = [(texts, "one"), (texts, "two")] * 6
    model = ft.finetune("classification", "fasttext", rows, quiet=True)
    assert not model.informative_features
    facts = model.served_facts()
    assert facts["languages"] == languages
    assert bool(facts["examples"]) is not bool(languages)
    if not languages:
        assert set(facts["examples"]["text"].split()) <= set(texts.split())
