"""The card of an autoencoder: what it is, how well it reconstructs, and how to use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foretext.messages import message
from foretext.recipe import Recipe

__all__ = ["autoencoder_card"]


def autoencoder_card(recipe: Recipe, facts: Mapping[str, Any], folder: str) -> str:
    """Return the card as Markdown; `facts` are those of ``config.json``."""
    import tomli_w

    errors = {
        name: "–" if facts[name] is None else f"{facts[name]:.5f}"
        for name in ("loss", "valid_loss", "components_loss")
    }
    shape = " × ".join(map(str, facts["shape"]))
    settings = tomli_w.dumps(recipe.sections())
    shown = {**facts, **errors, "shape": shape, "folder": folder, "settings": settings}
    return f"{message('cards.autoencoder.text', **shown)}\n"
