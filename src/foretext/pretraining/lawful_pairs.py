"""Which objectives and backbones go together, as the components themselves say."""

from __future__ import annotations

from typing import NamedTuple

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError
from foretext.objectives import OBJECTIVES
from foretext.pretraining.building import check_model, tokenizer_of_few_words
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["LawfulPair", "lawful_pairs"]


class LawfulPair(NamedTuple):
    """An objective and a backbone that can be trained together, and what their model can do.

    Every model embeds texts, and is a base to fine-tune.
    """

    objective: str
    backbone: str
    recipes: tuple[str, ...]  # that train it; none: --set backbone.name=... on another recipe
    fills: bool  # masks
    generates: bool  # text
    scores: bool  # the probability of a text


def lawful_pairs() -> list[LawfulPair]:
    """Return all pairs of the tables that can be trained.

    Each is built as the first recipe of its objective has it, without memory for its weights, with
    the backbone's defaults where no recipe names it.
    """
    recipes = {name: Recipe.load(name) for name in recipe_names()}
    found = []
    for objective in OBJECTIVES:
        backbones = {
            name: str(recipe.parts["backbone"].name)
            for name, recipe in recipes.items()
            if recipe.is_language_model and recipe.parts["objective"].name == objective
        }
        if backbones:  # an objective without a recipe says nothing of its tokenizer
            tokenizer = tokenizer_of_few_words(recipes[next(iter(backbones))])
            found += [_pair(objective, backbone, backbones, tokenizer) for backbone in BACKBONES]
    return [pair for pair in found if pair is not None]


def _pair(
    objective: str, backbone: str, backbones: dict[str, str], tokenizer: SubwordTokenizer
) -> LawfulPair | None:
    """Return a pair; None: it is refused. `backbones` are those of the objective's recipes."""
    shipped = tuple(name for name, its_backbone in backbones.items() if its_backbone == backbone)
    recipe = Recipe.load((shipped or tuple(backbones))[0], [f"backbone.name={backbone}"])
    try:
        model = check_model(recipe, tokenizer)
    except SettingError:
        return None
    able = model.objective
    generates = able.continues and model.backbone.continues_texts
    return LawfulPair(objective, backbone, shipped, able.fills, generates, able.scores_text)
