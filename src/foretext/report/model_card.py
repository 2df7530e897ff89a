"""The card of a language model: what it is, what it was made of, how good it is, how to use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.backbones.base import Backbone
from foretext.base.counted import number_of
from foretext.messages import ended, message, translated
from foretext.objectives.base import Objective
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding
from foretext.report.card import perplexity_of

__all__ = ["model_card"]


def model_card(
    recipe: Recipe,
    backbone: Backbone,
    objective: Objective,
    facts: Mapping[str, Any],
    record: Mapping[str, Any],
    folder: str,
    their_class: str | None = None,
) -> str:
    """Return the card as Markdown.

    Args:
        recipe: of the run.
        backbone: that was pretrained.
        objective: that it was pretrained by.
        facts: what ``config.json`` keeps of it.
        record: the last line of ``metrics.jsonl``.
        folder: where the run is.
        their_class: the class of `transformers` that opens the folder; None: there is none, and
            the model is in foretext's own form.
    """
    import tomli_w

    figures = [*_figures(record, objective), (message("cards.model.text_row"), folding(recipe))]
    own = {
        "warnings": _warned(facts.get("warnings", [])),
        "title": _title(recipe, objective),
        "shape": _shape(recipe, backbone),
        "dim": backbone.dim,
        "read": number_of("document", facts["documents"]),
        "figures": "\n".join(f"| {name} | {value} |" for name, value in figures),
        "usage": "" if objective.usage is None else f"{objective.usage}\n",
        "folder": folder,
        "opened_by": message("cards.model.own")
        if their_class is None
        else message("cards.model.theirs", folder=folder, their_class=their_class),
        "settings": tomli_w.dumps(recipe.sections()),
    }
    return f"{message('cards.model.text', **{**facts, **own})}\n"


def _shape(recipe: Recipe, backbone: Backbone) -> str:
    """What the network is; the Transformer, which most are, goes without saying."""
    layers = number_of("layer", backbone.num_layers)
    shape = message("cards.model.shape", layers=layers, dim=backbone.dim)
    name = recipe.parts["backbone"].name
    if name == "transformer":
        return shape
    return message("cards.model.backbone", name=name, shape=shape)


def _title(recipe: Recipe, objective: Objective) -> str:
    if not objective.kind:
        return recipe.name
    return message("cards.model.title", kind=translated(objective.kind))


def _warned(warnings: Sequence[str]) -> str:
    said = (ended(translated(each)) for each in warnings)
    return "".join(f"{message('cards.warning', said=each)}\n\n" for each in said)


def _figures(record: Mapping[str, Any], objective: Objective) -> list[tuple[str, str]]:
    """What the last record says, in words."""
    rows = [
        (message("cards.model.steps"), f"{record['step']:,}"),
        (message("cards.model.seconds"), f"{record['time']:.0f}"),
        (message("cards.model.loss"), f"{record['loss']:.4f}"),
    ]
    for name, value in record.items():
        if name.startswith("valid_"):
            said = name.removeprefix("valid_").replace("_", " ").replace(" lm", " LM")
            held_out = message("cards.model.held_out", figure=translated(said))
            rows.append((held_out, f"{value:.4f}"))
    perplexity = perplexity_of(record.get("valid_loss"))
    if objective.scores_text and perplexity is not None:
        rows.append((message("cards.model.perplexity"), f"{perplexity:.2f}"))
    return rows
