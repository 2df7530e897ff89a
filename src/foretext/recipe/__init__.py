"""Recipes: TOML sections, each checked by the class that it sets up."""

from foretext.recipe.recipe import Recipe, corpus_config, corpus_of_run, read_overrides
from foretext.recipe.sections import Section

__all__ = ["Recipe", "Section", "corpus_config", "corpus_of_run", "read_overrides"]
