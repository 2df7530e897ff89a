"""A recipe whose parts do not fit is refused before text is read; any tokenizer can be checked."""

from __future__ import annotations

import pytest

from foretext.backbones import BACKBONES
from foretext.objectives import OBJECTIVES
from foretext.pretraining.building import LawfulPair, check_model, lawful_pairs
from foretext.recipe import Recipe
from foretext.recipes import recipe_names

TOKENIZERS = ("bpe", "wordpiece", "unigram", "word")


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_few_words_are_enough_for_every_tokenizer(name: str) -> None:
    recipe = "gpt-tiny" if name == "bpe" else "bert-tiny"
    counts = [] if name == "unigram" else ["tokenizer.min_count=9"]
    check_model(Recipe.load(recipe, [f"tokenizer.name={name}", *counts]))


@pytest.fixture(scope="module")
def pairs() -> dict[tuple[str, str], LawfulPair]:
    return {(pair.objective, pair.backbone): pair for pair in lawful_pairs()}


def test_every_recipe_is_there(pairs: dict[tuple[str, str], LawfulPair]) -> None:
    for name in recipe_names():
        recipe = Recipe.load(name)
        if "objective" in recipe.parts:
            key = str(recipe.parts["objective"].name), str(recipe.parts["backbone"].name)
            assert name in pairs[key].recipes


def test_every_objective_has_a_backbone(pairs: dict[tuple[str, str], LawfulPair]) -> None:
    assert {objective for objective, _ in pairs} == set(OBJECTIVES)
    assert {backbone for _, backbone in pairs} | {"encoder_decoder", "seq2seq"} == set(BACKBONES)


def test_what_models_do(pairs: dict[tuple[str, str], LawfulPair]) -> None:
    bert, gpt = pairs["masked_lm", "transformer"], pairs["causal_lm", "transformer"]
    assert (bert.fills, bert.generates, bert.scores) == (True, False, False)
    assert (gpt.fills, gpt.generates, gpt.scores) == (False, True, True)
    unilm = pairs["unilm", "transformer"]
    assert (unilm.fills, unilm.generates, unilm.scores) == (True, True, False)


def test_pairs_that_do_not_fit_are_not_there(
    pairs: dict[tuple[str, str], LawfulPair],
) -> None:
    """A convolution sees both sides; a text that is read in one direction needs a cache."""
    assert ("causal_lm", "textcnn") not in pairs
    assert ("unilm", "textcnn") not in pairs
    assert ("unilm", "recurrent") not in pairs
    assert ("masked_lm", "textcnn") in pairs


@pytest.mark.parametrize(
    ("recipe", "encoder", "whole"),
    [("bert-base", 108_891_648, 110_106_428), ("bert-large", 334_092_288, 336_226_108)],
)
def test_sizes_of_bert_are_the_published_ones(recipe: str, encoder: int, whole: int) -> None:
    """110 and 336 million weights with 30,522 tokens; the paper says 110M and 340M.

    Whole is the encoder with both heads: pooler and two classes, transform and a bias a token.
    """
    model = check_model(
        Recipe.load(recipe), vocab_size=30_522
    )  # on no device: nothing is allocated
    found = {name: weight.numel() for name, weight in model.named_parameters()}  # tied ones once
    assert sum(size for name, size in found.items() if name.startswith("backbone.")) == encoder
    assert sum(found.values()) == whole
