"""The card of a run of doc2vec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.base.counted import number_of
from foretext.messages import message
from foretext.recipe import Recipe
from foretext.recipe.text_settings import folding
from foretext.report.card import noted, shown_facts

__all__ = ["documents_card"]


def documents_card(recipe: Recipe, facts: Mapping[str, Any], folder: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    own = {
        "read": number_of("document", facts["documents"]),
        "notes": noted(facts.get("warnings", [])),
        "folding": folding(recipe),
        "folder": folder,
        "settings": tomli_w.dumps(recipe.sections()),
    }
    return f"{message('cards.documents.text', **(shown_facts(facts) | own))}\n"
