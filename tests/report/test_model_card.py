"""The card of a language model says what is true of its folder, whatever was trained."""

from __future__ import annotations

import pytest

from foretext.recipe import Recipe
from foretext.report.model_card import model_card

FACTS = {
    "foretext": "0.1.0", "parameters": 1000, "vocab_size": 400,
    "documents": 10, "tokens": 1000, "held_out_tokens": 100,
}  # fmt: skip
RECORD = {"step": 20, "time": 3.0, "loss": 4.5, "valid_loss": 4.0}


def card(recipe: Recipe, their_class: str | None = None) -> str:
    return model_card(recipe, FACTS, RECORD, "runs/mine", their_class)


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
    assert ("layers of width" in text) == (backbone == "transformer")
