"""The recipes that come with foretext, by name, with the size of the model behind it."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from foretext.errors import SettingError, did_you_mean
from foretext.parsing import parse_toml, read_toml
from foretext.recipe.sections import Sections
from foretext.sizes import split_size

__all__ = ["read_recipe", "recipe_names"]


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with foretext."""
    files = resources.files("foretext") / "recipes"
    return sorted(Path(file.name).stem for file in files.iterdir() if file.name.endswith(".toml"))


def read_recipe(recipe: str | Path) -> Sections:
    """Return the sections of a recipe, by name such as "bert-mini", or of a ``.toml`` file.

    Raises:
        SettingError: there is none, or it is no TOML.
    """
    name, size = split_size(str(recipe))
    if name in recipe_names():
        text = (resources.files("foretext") / "recipes" / f"{name}.toml").read_text("utf-8")
        sections = parse_toml(text, name, SettingError)
        if size is not None:
            if "backbone" not in sections:
                raise SettingError(f"There is no recipe '{recipe}': {name} has no sizes.")
            sections["backbone"].update(size._asdict())
        return sections
    if Path(recipe).suffix != ".toml":
        hint = did_you_mean(str(recipe), recipe_names())
        raise SettingError(
            f"There is no recipe '{recipe}'.{hint} There are: {', '.join(recipe_names())}, "
            "or give the path of a .toml file."
        )
    return read_toml(Path(recipe), SettingError)
