"""The card of a run: what it is, what it was made of, how good it is and how to use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import message, translated
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding

__all__ = ["noted", "vectors_card"]


def vectors_card(recipe: Recipe, facts: Mapping[str, Any], folder: str, word: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``, `word` an example."""
    import tomli_w

    shown = {
        name: translated("unknown") if value is None else value for name, value in facts.items()
    }
    for name in ("loss", "valid_loss"):
        if isinstance(shown[name], float):
            shown[name] = f"{shown[name]:.4f}"
    text = message(
        "cards.vectors.text",
        **shown,
        read=number_of("document", facts["documents"]),
        notes=noted(facts.get("warnings", [])),
        folding=folding(recipe),
        folder=folder,
        word=word,
        settings=tomli_w.dumps(recipe.sections()),
    )
    return f"{text}\n"


def noted(warnings: Sequence[str]) -> str:
    """Return what a card says of its training, a paragraph each."""
    return "".join(f"{message('cards.note', said=translated(each))}\n\n" for each in warnings)
