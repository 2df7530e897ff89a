"""``foretext show RECIPE|RUN TEXT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_recipe
from foretext.cli.shared import (
    AsJson,
    Column,
    Encoding,
    Entities,
    Overwrite,
    RecipeFile,
    RecipeSettings,
    hiding,
    print_json,
    reading,
)

__all__ = ["show"]


def show(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE|RUN",
            help="A recipe's name (see `foretext list`) or a TOML file; or a task; or a kind "
            "of tokenizer; or a run, or another trained model.",
            autocompletion=complete_recipe,
        ),
    ],
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT",
            help="A text itself, or a file, folder, glob or URL of texts; - for standard input. "
            "For a task: a file of rows. For a model each line is shown; a tab separates the texts "
            "of a pair.",
        ),
    ],
    number: Annotated[
        int | None,
        typer.Option(
            "--number",
            "-n",
            metavar="N",
            min=1,
            help="How many examples, 3 by default; of a model's text lines, 8 by default.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the draws.")] = 0,
    tokenizer: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="A run or a file with a tokenizer; by default one is learned of the text.",
        ),
    ] = None,
    config: RecipeFile = None,
    settings: RecipeSettings = None,
    encoding: Encoding = None,
    column: Column = None,
    entities: Entities = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a page, such as page.html."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Show training examples on your text, or what a model looks at."""
    from foretext.base.files import refuse_existing
    from foretext.pretraining.learner import Draw
    from foretext.pretraining.showing import EXAMPLES, show_named
    from foretext.recipe.recipe import given_sections

    if output is not None:
        refuse_existing(output, overwrite=overwrite)
    given = given_sections(
        [*(settings or []), *reading(encoding, column), *hiding(entities)], "--set "
    )
    draw = Draw(EXAMPLES if number is None else number, seed, tokenizer)
    drawing = {
        "--tokenizer": tokenizer,
        "--set": settings if set(given_sections(settings, "--set ")) - {"corpus"} else None,
        "--config": config,
        "--seed": seed or None,
        "--entities": entities,
    }
    found = show_named(recipe, text, draw, number, given, drawing, config)
    if output is not None:
        found.save(output, overwrite=overwrite)
    if as_json:
        print_json(found.to_json())
    elif output is not None:
        say(f"{found.title}: {output}")
    else:
        from rich.console import Console

        from foretext.report.shown_text import print_showing

        print_showing(found, Console())
