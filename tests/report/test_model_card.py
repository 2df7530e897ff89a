"""The card of a language model says what is true of its folder, whatever was trained."""

from __future__ import annotations

import pytest
import torch

from foretext.backbones import BACKBONES
from foretext.objectives.causal_lm import CausalLM
from foretext.objectives.masked_lm import MaskedLM
from foretext.recipe import Recipe
from foretext.report.model_card import model_card
from tests.language_model.models import learned_tokenizer

FACTS = {
    "foretext": "0.1.0", "parameters": 1000, "vocab_size": 400,
    "documents": 10, "tokens": 1000, "held_out_tokens": 100,
}  # fmt: skip
RECORD = {"step": 20, "time": 3.0, "loss": 4.5, "valid_loss": 4.0}


def card(recipe: Recipe, their_class: str | None = None) -> str:
    with torch.device("meta"):
        component = BACKBONES.resolve(str(recipe.parts["backbone"].name))
        backbone = component.build(recipe.parts["backbone"].config, 400)
        objective = MaskedLM(MaskedLM.Config(tied=False), backbone, learned_tokenizer("wordpiece"))
    return model_card(recipe, backbone, objective, FACTS, RECORD, "runs/mine", their_class)


@pytest.mark.parametrize("loss", [4.0, 709.9, float("inf"), float("nan")])
def test_only_a_loss_that_has_a_perplexity_shows_one(loss: float) -> None:
    recipe = Recipe.load("gpt")
    with torch.device("meta"):
        component = BACKBONES.resolve(str(recipe.parts["backbone"].name))
        backbone = component.build(recipe.parts["backbone"].config, 400)
        tokenizer = learned_tokenizer("bpe")
        objective = CausalLM(CausalLM.Config(tied=False), backbone, tokenizer)
    record = RECORD | {"valid_loss": loss}
    text = model_card(recipe, backbone, objective, FACTS, record, "runs/mine")
    assert f"{loss:.4f}" in text
    assert ("| held-out perplexity per token | 54.60 |" in text) == (loss == 4.0)
    assert ("perplexity" in text) == (loss == 4.0)


def test_a_folder_of_their_class_opens_there() -> None:
    text = card(Recipe.load("bert-mini"), "BertForMaskedLM")
    assert 'transformers.AutoModel.from_pretrained("runs/mine")' in text
    assert "Model and head are a `BertForMaskedLM`" in text
    assert "4 layers of width 256" in text


@pytest.mark.parametrize("backbone", ["transformer", "lookup", "textcnn", "recurrent"])
def test_a_folder_of_our_own_form_opens_here_alone(backbone: str) -> None:
    sections = {"objective": {"name": "masked_lm"}, "backbone": {"name": backbone}}
    sections |= {"tokenizer": {"name": "wordpiece"}}
    text = card(Recipe.from_sections(sections))
    assert "AutoModel" not in text
    assert "Only foretext opens this folder" in text
    assert f"A backbone `{backbone}`" in text or backbone == "transformer"
    assert "of width" in text
    assert 'model.fill("a text with a [MASK] in it")' in text
