"""The recipes that come with foretext: TOML files with only what differs from the defaults."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

__all__ = ["recipe_names", "recipe_text"]


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with foretext."""
    files = resources.files(__name__).iterdir()
    return sorted(Path(file.name).stem for file in files if file.name.endswith(".toml"))


def recipe_text(name: str) -> str:
    """Return one of them as it stands in its file."""
    return resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
