"""The settings that a plan may fill in: those that exist in the recipe and that no user chose.

What follows from the size of a text, the time, and a model's width, without measuring.
Vocabulary: Gowda and May 2020 ("Finding the Optimal Vocabulary Size for Neural Machine
Translation") want about a hundred occurrences of nearly every token, which for a text of N tokens
whose counts fall as 1/rank is V ln V = N / 100; the steps below follow it. Batch: the larger the
lower the loss is to become (McCandlish et al. 2018), so a short training takes small ones. Short is
what takes two cores a short time: a GPU does in minutes what they do in days, and is given the rows
and batches of days.
Learning rate: with Adam the best one is inverse to the width (Yang et al. 2021, "Tensor Programs
V"). First weights: the deviation of 0.02 that everyone has from BERT is meant for widths about a
thousand; a narrow model that begins with it hardly attends to anything, and learns nothing but
the frequencies of words for hundreds of steps. docs/log.md has the measurements.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch

from foretext.backbones import BACKBONES
from foretext.backbones.base import Backbone
from foretext.base.sizes import Size, size_of
from foretext.nn.device import choose_device
from foretext.nn.precision import choose_dtype
from foretext.objectives import OBJECTIVES
from foretext.pretraining.plan.size import Candidate
from foretext.recipe import Recipe
from foretext.tokenizers.subwords import SUBWORDS
from foretext.training.flops import peak_flops
from foretext.training.model import Model
from foretext.training.settings import TrainingConfig

__all__ = [
    "PLANNED",
    "chosen_shape",
    "default_budget",
    "merged_sections",
    "row_length_for",
    "rows_per_step",
    "scaled_init_std",
    "scaled_learning_rate",
    "seconds_of_two_cores",
    "settings_by_choice",
    "settings_by_model",
    "settings_by_rules",
    "settings_by_time",
    "settings_by_width",
    "vocab_size_for",
    "with_sections",
]

Sections = Mapping[str, Mapping[str, Any]]

SHAPE = tuple(f"backbone.{name}" for name in Size._fields)
PLANNED = (
    *SHAPE,
    "backbone.init_std",
    "backbone.max_length",
    "tokenizer.vocab_size",
    "data.valid_rate",
    "objective.row_length",
    "training.batch_examples",
    "training.budget_seconds",
    "training.keep",
    "training.learning_rate",
    "training.short_row_rate",
    "training.stacking_rate",
)
HELD_OUT_RATE = 0.015  # tokens held out, of those read: 20 validations take a tenth of the time
FEWEST_HELD_OUT = 4_000  # tokens; fewer say too little
SMALL_RATE = 0.5  # of a training, which begins with short rows and half of the layers
SEVERAL_EPOCHS = 4  # epochs; after more a model may overfit

REFERENCE_DIM = 256  # the width that a recipe's learning rate is meant for
INIT_SCALE = 0.7

VOCABULARIES = ((2e6, 4_000), (2e7, 8_000), (2e8, 16_000))  # up to so many bytes, tokens
LARGEST_VOCABULARY = 32_000
ROW_LENGTHS = ((1_800, 128), (3 * 3_600, 256))  # up to so many seconds, tokens
LONGEST_ROW = 512
DAY = 24 * 3_600
# up to so many seconds, rows of 128 tokens
BATCHES = ((600, 16), (3_600, 32), (6 * 3_600, 64), (2 * DAY, 128), (4 * DAY, 256))
LARGEST_BATCH = 512
TWO_CORES = 4e11  # operations a second, in bfloat16, of the machine that these seconds are of

SECONDS_A_MEGABYTE = 60.0
SHORTEST, LONGEST = 30.0, 1_800.0  # default budgets


def chosen_shape(recipe: Recipe) -> bool:
    """Whether a user chose the size, or a backbone that has no such sizes."""
    config = recipe.parts["backbone"].config
    return any(name in recipe.chosen for name in SHAPE) or size_of(config) is None


def settings_by_rules(recipe: Recipe, corpus_bytes: float, seconds: float) -> Sections:
    """Return what follows from text and time: vocabulary, rows and batches."""
    settings: dict[str, Mapping[str, Any]] = {}
    if SUBWORDS.resolve(str(recipe.parts["tokenizer"].name)).plans_vocabulary:
        settings["tokenizer"] = {"vocab_size": vocab_size_for(corpus_bytes)}
    name, config = recipe.parts["objective"]
    if not OBJECTIVES.resolve(str(name)).text_rules.plans_rows(config):
        return _open(recipe, settings)
    seconds = seconds_of_two_cores(recipe, seconds)
    length = row_length_for(seconds)
    settings["objective"] = {"row_length": length}
    settings["training"] = {"batch_examples": rows_per_step(seconds, length)}
    for_rows = _backbone(recipe).settings_for_rows(recipe.parts["backbone"].config, length)
    if for_rows:
        settings["backbone"] = for_rows
    return _open(recipe, settings)


def settings_by_time(recipe: Recipe, seconds: float, max_length: int) -> Sections:
    """Return rows and batches for a network that is there already and learns for a time.

    Args:
        recipe: of the training.
        seconds: that it may take.
        max_length: positions that the network reads.
    """
    name, config = recipe.parts["objective"]
    if not OBJECTIVES.resolve(str(name)).text_rules.plans_rows(config):
        return {}
    chosen = recipe.parts["objective"].settings().get("row_length")
    seconds = seconds_of_two_cores(recipe, seconds)
    wanted = row_length_for(seconds)
    if chosen is not None and "objective.row_length" in recipe.chosen:
        wanted = int(chosen)
    length = min(wanted, max_length)
    batch = {"batch_examples": rows_per_step(seconds, length)}
    return _open(recipe, {"objective": {"row_length": length}, "training": batch})


def settings_by_choice(recipe: Recipe, chosen: Candidate, text_tokens: int) -> Sections:
    """Return what follows from the size that was chosen."""
    read = chosen.tokens or 0
    held_out = max(HELD_OUT_RATE * read, FEWEST_HELD_OUT) / text_tokens
    shape = {name: getattr(chosen, name) for name in Size._fields}
    settings: dict[str, dict[str, Any]] = {
        "backbone": {} if chosen_shape(recipe) else shape,
        "data": {"valid_rate": float(f"{min(recipe.data.valid_rate, held_out):.2g}")},
        "training": {},
    }
    if read > SEVERAL_EPOCHS * text_tokens and recipe.data.valid_rate > 0:
        settings["training"]["keep"] = "best"
    return merged_sections(_open(recipe, settings), settings_by_width(recipe, chosen.dim))


def settings_by_width(recipe: Recipe, dim: int | None = None) -> Sections:
    """Return what follows from a width, that of the recipe by default."""
    width = dim or recipe.parts["backbone"].settings().get("dim")
    if width is None:
        return {}
    rate = float(recipe.parts["training"].settings()["learning_rate"])
    settings = {
        "backbone": {"init_std": scaled_init_std(width)},
        "training": {"learning_rate": scaled_learning_rate(rate, width)},
    }
    return _open(recipe, settings)


def settings_by_model(recipe: Recipe, model: Model) -> Sections:
    """Return how much of the training has short rows and half of the layers, where that works.

    torch.compile would need minutes for each of these shapes.
    """
    config, backbone = cast(TrainingConfig, recipe.parts["training"].config), model.backbone
    keeps_layers = config.freeze != "none" or config.freeze_layers or config.sharding != "none"
    can_begin = {
        "short_row_rate": model.objective.cuts_rows and config.freeze != "backbone",
        "stacking_rate": backbone.stacks_layers and backbone.num_layers > 1 and not keeps_layers,
    }
    found = {name: SMALL_RATE for name, can in can_begin.items() if can and not config.compile}
    return _open(recipe, {"training": found})


def with_sections(recipe: Recipe, settings: Sections) -> Recipe:
    """Return the recipe with these settings."""
    for section, values in settings.items():
        recipe = recipe.with_settings(section, **values)
    return recipe


def merged_sections(first: Sections, second: Sections) -> Sections:
    """Return the settings of both."""
    names = [*first, *(name for name in second if name not in first)]
    return {name: {**first.get(name, {}), **second.get(name, {})} for name in names}


def _backbone(recipe: Recipe) -> type[Backbone]:
    found: type[Backbone] = BACKBONES.resolve(str(recipe.parts["backbone"].name))
    return found


def _open(recipe: Recipe, settings: Sections) -> Sections:
    """Return those that the recipe has and that no user chose."""
    return {
        section: {
            name: value
            for name, value in values.items()
            if name in type(recipe.parts[section].config).model_fields
            and f"{section}.{name}" not in recipe.chosen
        }
        for section, values in settings.items()
    }


def default_budget(corpus_bytes: float) -> float:
    """Return the default budget in seconds: a minute a megabyte, within bounds.

    About ten epochs with the smallest models, less than one with large ones.
    """
    return min(max(SECONDS_A_MEGABYTE * corpus_bytes / 1e6, SHORTEST), LONGEST)


def vocab_size_for(corpus_bytes: float) -> int:
    """Return how many tokens a text of so many bytes gives enough occurrences of."""
    return _looked_up(corpus_bytes, VOCABULARIES, LARGEST_VOCABULARY)


def seconds_of_two_cores(recipe: Recipe, seconds: float) -> float:
    """Return how long two cores need for what the recipe's device does in a time.

    Of a processor the time is taken as it is: another one is not faster by much.
    """
    training = cast(TrainingConfig, recipe.parts["training"].config)
    device = choose_device(training.device)
    if device.type == "cpu":
        return seconds
    dtype = choose_dtype(training.precision, device)
    return seconds * peak_flops(device, dtype, torch.get_num_threads()) / TWO_CORES


def row_length_for(seconds: float) -> int:
    """Return the tokens of a row: short rows make more steps in the same time."""
    return _looked_up(seconds, ROW_LENGTHS, LONGEST_ROW)


def rows_per_step(seconds: float, row_length: int) -> int:
    """Return the rows of a batch; longer ones are fewer."""
    return max(1, _looked_up(seconds, BATCHES, LARGEST_BATCH) * 128 // row_length)


def scaled_learning_rate(rate: float, dim: int) -> float:
    """Return what a rate for the reference width becomes at another, with two digits."""
    return float(f"{rate * REFERENCE_DIM / dim:.2g}")


def scaled_init_std(dim: int) -> float:
    """Return the deviation of first weights: inverse to the root of the width, with two digits."""
    return float(f"{INIT_SCALE * dim**-0.5:.2g}")


def _looked_up(value: float, steps: Sequence[tuple[float, int]], beyond: int) -> int:
    place = bisect_right([limit for limit, _ in steps], value)
    return steps[place][1] if place < len(steps) else beyond
