"""``foretext list``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from foretext.cli.shared import AsJson, print_json, print_table

__all__ = ["show_list"]


def show_list(
    settings: Annotated[
        str | None, typer.Option("--settings", metavar="RECIPE", help="Every setting of a recipe.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the recipes, and what can be set in each."""
    from foretext.recipe import Recipe, recipe_names
    from foretext.vectors.formats import FORMATS

    if settings is None:
        result: dict[str, Any] = {"recipes": recipe_names(), "formats": list(FORMATS)}
        if as_json:
            print_json(result)
        else:
            print_table(["", ""], [(kind, ", ".join(names)) for kind, names in result.items()])
        return
    sections = Recipe.load(settings).all_settings()
    if as_json:
        print_json(sections)
    else:
        rows = [
            (f"{section}.{name}", "" if value is None else str(value))
            for section, values in sections.items()
            for name, value in values.items()
        ]
        print_table(["setting", "default"], rows)
