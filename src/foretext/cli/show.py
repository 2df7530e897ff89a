"""``foretext show RECIPE|RUN TEXT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_recipe, complete_setting_of_recipe
from foretext.cli.shared import (
    AsJson,
    Column,
    Encoding,
    Entities,
    Overwrite,
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
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file whose settings go over the recipe's."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SECTION.NAME=VALUE",
            help="Change one setting; `foretext list --settings` shows them.",
            autocompletion=complete_setting_of_recipe,
        ),
    ] = None,
    encoding: Encoding = None,
    column: Column = None,
    entities: Entities = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a page, such as page.html."),
    ] = None,
    lang: Annotated[
        Literal["en", "zh"] | None,
        typer.Option(help="Language of titles and notes; by default the system's."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Show training examples on your text, or what a model looks at."""
    from foretext.base.files import refuse_existing
    from foretext.corpus import CorpusConfig
    from foretext.messages import in_language
    from foretext.pretraining.learner import Draw
    from foretext.pretraining.looked_text import refuse_without_effect
    from foretext.pretraining.showing import (
        EXAMPLES,
        recipe_title,
        refuse_idle,
        show_recipe,
        shown_kind,
        shown_task,
        with_config,
    )
    from foretext.recipe import Recipe
    from foretext.recipe.recipe import given_sections, names_recipe
    from foretext.report.run_showing import show_run
    from foretext.tasks import TASKS
    from foretext.tokenizers.subwords import SUBWORDS

    if output is not None:
        refuse_existing(output, overwrite=overwrite)
    given = [*(settings or []), *reading(encoding, column), *hiding(entities)]
    draw = Draw(EXAMPLES if number is None else number, seed, tokenizer)
    with in_language(lang):
        if recipe in TASKS:
            sections = with_config(config, given_sections(given, "--set "))
            found = shown_task(recipe, text, draw, sections)
        elif recipe in SUBWORDS:
            sections = with_config(config, given_sections(given, "--set "))
            found = shown_kind(recipe, text, draw, sections)
        elif not names_recipe(recipe):
            idle = {"--tokenizer": tokenizer, "--set": settings, "--config": config}
            refuse_idle(**idle, **{"--seed": seed or None, "--entities": entities})
            named = {"encoding": encoding, "column": column}
            chosen = {name: value for name, value in named.items() if value is not None}
            corpus = CorpusConfig.checked(chosen, "corpus") if chosen else None
            found = show_run(recipe, text, number, corpus)
        else:
            sections = with_config(config, given_sections(given, "--set "))
            loaded = Recipe.load(recipe, given, config)
            refuse_without_effect(text, draw, sections)
            found = show_recipe(loaded, text, draw, recipe_title(recipe))
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
