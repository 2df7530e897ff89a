"""The model that a recipe describes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import torch

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.language_model import LanguageModel
from foretext.objectives import OBJECTIVES
from foretext.objectives.base import Objective
from foretext.recipe import Recipe
from foretext.recipes import recipe_names
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.model import Model
from foretext.training.progression import check_progression
from foretext.training.settings import TrainingConfig

__all__ = [
    "LawfulPair",
    "build_model",
    "check_model",
    "lawful_pairs",
    "objective_class",
    "tokenizer_of_few_words",
    "training_config",
]


def build_model(
    recipe: Recipe,
    tokenizer: SubwordTokenizer,
    base: LanguageModel | None = None,
    *,
    vocab_size: int | None = None,
) -> Model[Objective]:
    """Build the model of a recipe, with random weights by its seed, or with those of `base`.

    Args:
        recipe: of a language model.
        tokenizer: whose ids it reads.
        base: what is trained further.
        vocab_size: ids; None: as many as the tokenizer has.

    Raises:
        SettingError: backbone and objective do not fit.
    """
    torch.manual_seed(training_config(recipe).seed)
    shape, (name, config) = recipe.parts["backbone"], recipe.parts["objective"]
    if base is None:
        component: type[Backbone] = BACKBONES.resolve(str(shape.name))
        backbone = component.build(shape.config, vocab_size or tokenizer.vocab_size)
        backbone.spell(tokenizer.tokens)
    else:
        backbone = base.backbone
    objective: Objective = OBJECTIVES.resolve(str(name))(config, backbone, tokenizer)
    if base is not None and base.objective is not None:
        objective.start_from(base.objective)
    return Model(backbone, objective)


def check_model(
    recipe: Recipe, tokenizer: SubwordTokenizer | None = None, *, vocab_size: int | None = None
) -> Model[Objective]:
    """Refuse a recipe whose backbone and objective do not fit, before any text is read.

    Args:
        recipe: of a language model.
        tokenizer: of its kind; None: one of a few words.
        vocab_size: ids; None: as many as the tokenizer has.

    Returns:
        The model, without memory for its weights.

    Raises:
        SettingError: with what to change.
    """
    tokenizer = tokenizer or tokenizer_of_few_words(recipe)
    with torch.device("meta"):
        model = build_model(recipe, tokenizer, vocab_size=vocab_size)
    check_progression(model, training_config(recipe))
    return model


def tokenizer_of_few_words(recipe: Recipe) -> SubwordTokenizer:
    """Return a tokenizer of the kind that a recipe names, with all its special tokens."""
    kind, config = recipe.parts["tokenizer"]
    settings = config.model_dump()
    return learn_subwords(str(kind), settings, _FewWords(settings.get("min_count", 1)))


def objective_class(recipe: Recipe) -> type[Objective]:
    """Return the class that ``[objective]`` names."""
    found: type[Objective] = OBJECTIVES.resolve(str(recipe.parts["objective"].name))
    return found


def training_config(recipe: Recipe) -> TrainingConfig:
    """Return the settings of the section ``[training]``."""
    return cast(TrainingConfig, recipe.parts["training"].config)


class _FewWords:
    """A corpus of one line, repeated so often that its words are frequent enough to be learned."""

    bytes_read = 0
    fingerprint = "few words"

    def __init__(self, times: int) -> None:
        self.times = times

    def blocks(self, size: int = 1) -> Iterator[str]:
        yield "a few words\n\n" * self.times


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
            if "objective" in recipe.parts and recipe.name == objective
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
