"""The card of a run of doc2vec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import message, translated
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding
from foretext.report.card import noted

__all__ = ["documents_card"]


def documents_card(recipe: Recipe, facts: Mapping[str, Any], folder: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    shown = {
        name: translated("unknown") if value is None else value for name, value in facts.items()
    }
    for name in ("loss", "valid_loss"):
        if isinstance(shown[name], float):
            shown[name] = f"{shown[name]:.4f}"
    text = message(
        "cards.documents.text",
        **shown,
        read=number_of("document", facts["documents"]),
        notes=noted(facts.get("warnings", [])),
        folding=folding(recipe),
        folder=folder,
        settings=tomli_w.dumps(recipe.sections()),
    )
    return f"{text}\n"
