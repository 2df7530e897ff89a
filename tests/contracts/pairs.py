"""All pairs of an objective and a backbone, from the tables: a new row brings its cases along.

An objective is trained by the first shipped recipe that names it. A backbone gets small settings
for the fields that its `Config` has, and one more form for each entry of `FORMS`.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

import torch

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.objectives import OBJECTIVES
from foretext.pretraining.building import build_model, tokenizer_of_few_words
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["GUESSED", "LAWFUL", "PAIRS", "UNLAWFUL", "Pair", "build_backbone", "small_recipe"]

SMALL = {  # by field, of any backbone
    "num_layers": 2,
    "dim": 32,
    "num_heads": 2,
    "max_length": 48,
    "vector_size": 32,
    "num_maps": 32,
    "dropout": 0.0,
    "init_std": 0.1,
}
FORMS: dict[str, dict[str, dict[str, Any]]] = {
    "textcnn": {"": {"widths": [3]}},
    "recurrent": {"": {"dim": 16}, "unidirectional": {"bidirectional": False}},
    "transformer": {
        "": {},
        "rotary": {"positions": "rotary", "norm_position": "pre"},
        "shared": {"share_layers": True, "first_norm": True},
    },
    "deberta": {"": {"num_buckets": 8}},
    "reader": {"": {"dim": 16, "layer_dropout": 0.0, "num_layers": 1}},
    "elmo": {"": {"dim": 16}},
    "encoder_decoder": {
        "": {},
        "relative": {"positions": "relative", "norm_position": "pre", "activation": "geglu"},
    },
    # In bfloat16 a GRU rounds by the number of rows that it reads at once, so LSTMs are compared.
    "seq2seq": {"": {"kind": "lstm"}},
}
STEPS = 12
GUESSED = {  # by objective, the part of its loss that no position sees the answers of
    "span_corruption": "spans_loss",
    "text_infilling": "infilled_loss",
}


class Pair(NamedTuple):
    """An objective and a form of a backbone."""

    objective: str
    backbone: str
    form: str

    def __str__(self) -> str:
        return f"{self.objective} {self.backbone} {self.form}".strip()


@cache
def recipe_of(objective: str) -> str:
    """Return the first recipe that trains an objective."""
    for name in recipe_names():
        recipe = Recipe.load(name)
        if "objective" in recipe.parts and recipe.parts["objective"].name == objective:
            return name
    raise AssertionError(f"no recipe trains {objective}: ship one")


def small_recipe(pair: Pair, *settings: str) -> Recipe:
    """Return the recipe of a pair, so small that it trains in a moment."""
    fields = BACKBONES.resolve(pair.backbone).Config.model_fields
    shape = {name: value for name, value in SMALL.items() if name in fields}
    shape |= FORMS.get(pair.backbone, {"": {}})[pair.form]
    overrides = [
        f"backbone.name={pair.backbone}",
        *(f"backbone.{name}={_toml(value)}" for name, value in shape.items()),
        "objective.row_length=24",
        "tokenizer.vocab_size=400",
        "training.batch_examples=8",
        "training.learning_rate=0.003",
        "training.precision='fp32'",
        f"training.steps={STEPS}",
        "training.valid_steps=4",
    ]
    return Recipe.load(recipe_of(pair.objective), [*overrides, *settings])


def _toml(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def build_backbone(pair: Pair, vocab_size: int) -> Backbone:
    """Return the backbone of a pair."""
    torch.manual_seed(0)
    component = BACKBONES.resolve(pair.backbone)
    backbone: Backbone = component.build(small_recipe(pair).parts["backbone"].config, vocab_size)
    return backbone


@cache
def few_words(objective: str) -> SubwordTokenizer:
    """Return a tokenizer of the kind that the recipe of an objective names."""
    return tokenizer_of_few_words(Recipe.load(recipe_of(objective), ["tokenizer.vocab_size=400"]))


def _is_lawful(pair: Pair) -> bool:
    """Whether the backbone has the attention masks and the encoder that the objective needs."""
    try:
        build_model(small_recipe(pair), few_words(pair.objective))
    except SettingError as error:
        # no pair should be refused for another reason
        return "visibility" not in str(error) and "source text" not in str(error)
    return True


PAIRS = [
    Pair(objective, backbone, form)
    for objective in OBJECTIVES
    for backbone in BACKBONES
    for form in FORMS.get(backbone, {"": {}})
]
LAWFUL = [pair for pair in PAIRS if _is_lawful(pair)]
UNLAWFUL = [pair for pair in PAIRS if pair not in LAWFUL]
