"""The sections of a recipe by its name: one that comes with foretext, or a TOML file."""

from __future__ import annotations

from pathlib import Path

from foretext.backbones import BACKBONES
from foretext.base.errors import SettingError, suggestion
from foretext.base.parsing import parse_toml, read_toml
from foretext.base.sizes import Size, split_size
from foretext.messages import message, sentences
from foretext.recipe.sections import Sections
from foretext.recipes import recipe_names, recipe_text

__all__ = ["is_recipe_name", "read_recipe"]


def is_recipe_name(name: str | Path) -> bool:
    """Whether a name is that of a recipe, with or without a size, or of a TOML file."""
    return split_size(str(name))[0] in recipe_names() or Path(name).suffix == ".toml"


def read_recipe(recipe: str | Path) -> Sections:
    """Return the sections of a recipe, by name such as "bert-mini", or of a ``.toml`` file.

    Raises:
        SettingError: there is none, or it is no TOML.
    """
    name, size = split_size(str(recipe))
    if name in recipe_names():
        sections = parse_toml(recipe_text(name), name, SettingError)
        if size is not None:
            if not _has_sizes(sections):
                raise SettingError(f"There is no recipe '{recipe}': {name} has no sizes.")
            sections["backbone"].update(size._asdict())
        return sections
    if Path(recipe).suffix != ".toml":
        said = message("errors.no_recipe", recipe=recipe)
        there_are = message("errors.recipes", names=", ".join(recipe_names()))
        raise SettingError(sentences([said, suggestion(recipe, recipe_names()), there_are]))
    return read_toml(Path(recipe), SettingError)


def _has_sizes(sections: Sections) -> bool:
    """Whether the backbone of a recipe has the settings that a size gives."""
    if "backbone" not in sections:
        return False
    component = BACKBONES.resolve(sections["backbone"]["name"])
    return set(Size._fields) <= set(component.Config.model_fields)
