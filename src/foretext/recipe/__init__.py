"""Recipes: TOML sections, each checked by the class that it sets up."""

from foretext.recipe.corpus_section import corpus_config, corpus_of_run
from foretext.recipe.overrides import read_overrides
from foretext.recipe.recipe import Recipe
from foretext.recipe.sections import Section

__all__ = ["Recipe", "Section", "corpus_config", "corpus_of_run", "read_overrides"]
