"""The card of a run: what it is, what it was made of, how good it is and how to use it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import message, translated
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding

__all__ = ["noted", "perplexity_of", "shown_facts", "vectors_card"]

LARGEST = 700  # logarithm of a perplexity that is a number


def vectors_card(recipe: Recipe, facts: Mapping[str, Any], folder: str, word: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``, `word` an example."""
    import tomli_w

    own = {
        "read": number_of("document", facts["documents"]),
        "notes": noted(facts.get("warnings", [])),
        "folding": folding(recipe),
        "folder": folder,
        "word": word,
        "settings": tomli_w.dumps(recipe.sections()),
    }
    return f"{message('cards.vectors.text', **(shown_facts(facts) | own))}\n"


def shown_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as a card shows them: losses with four decimals, None as "unknown".

    Some facts may not be foretext's, so a card replaces those that have a name of its own facts.
    """
    shown = {
        name: translated("unknown") if value is None else value for name, value in facts.items()
    }
    for name in ("loss", "valid_loss"):
        if isinstance(shown[name], float):
            shown[name] = f"{shown[name]:.4f}"
    return shown


def perplexity_of(loss: float | None) -> float | None:
    """Return the perplexity of a loss in nats; None without a loss, or of one too large."""
    if loss is None or not loss < LARGEST:
        return None
    return math.exp(loss)


def noted(warnings: Sequence[str]) -> str:
    """Return what a card says of its training, a paragraph each."""
    return "".join(f"{message('cards.note', said=translated(each))}\n\n" for each in warnings)
