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
    """Show recipes, tasks, bases and formats, and all settings."""
    from foretext.backbones import BACKBONES
    from foretext.finetuning.base_names import base_names
    from foretext.objectives import OBJECTIVES
    from foretext.recipe import Recipe, recipe_names
    from foretext.sizes import SIZES
    from foretext.task_models import TASKS
    from foretext.tokenizers.subwords import SUBWORDS
    from foretext.vectors.formats import FORMATS

    if settings is None:
        result: dict[str, Any] = {
            "recipes": recipe_names(),
            "sizes of networks": [f"-{size}" for size in SIZES],
            "backbones": list(BACKBONES),
            "objectives": list(OBJECTIVES),
            "tokenizers": list(SUBWORDS),
            "tasks": list(TASKS),
            "bases without weights": base_names(),
            "vector formats": list(FORMATS),
        }
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
