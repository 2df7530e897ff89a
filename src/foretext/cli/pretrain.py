"""``foretext pretrain RECIPE CORPUS... -o RUN``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.completion import complete_recipe
from foretext.cli.shared import (
    Address,
    AsJson,
    Auto,
    Column,
    Encoding,
    Engine,
    Entities,
    Overwrite,
    Quiet,
    RecipeFile,
    RecipeSettings,
    TextWorkers,
    given_options,
    hiding,
    print_json,
    reading,
)
from foretext.messages import commas, message, translated

if TYPE_CHECKING:
    from foretext.pretraining.pretraining import Pretrained

__all__ = ["pretrain"]

ELSE = {  # what to do instead of an option of word vectors
    "memory": "leave it out",
    "processes": "start several processes of a network by torchrun",
}


def pretrain(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE",
            help="A name (see `foretext list`) or a TOML file.",
            autocompletion=complete_recipe,
        ),
    ],
    corpus: Annotated[
        list[str],
        typer.Argument(
            metavar="CORPUS",
            help="Files, folders, globs or URLs of text; - for standard input. "
            "For an autoencoder: idx or .npy files of images.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="RUN", help="The folder to keep the run in.")
    ],
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Wall-clock time of the whole command, such as 90s, 10m, 1.5h. The size of a "
            "language model is chosen to fit (see `foretext plan`).",
        ),
    ] = None,
    config: RecipeFile = None,
    settings: RecipeSettings = None,
    encoding: Encoding = None,
    column: Column = None,
    entities: Entities = None,
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN", help="A run or vector file to train further; new words are added."
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="GloVe: memory to count and train in, such as 512MB or 2GB."
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="word2vec, fastText and GloVe: processes that learn together; they share the "
            "threads of vectors.workers. Networks: see torchrun.",
        ),
    ] = None,
    workers: TextWorkers = None,
    engine: Engine = "local",
    address: Address = None,
    auto: Auto = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the unfinished run in RUN.")
    ] = False,
    overwrite: Overwrite = False,
    report: Annotated[bool, typer.Option(help="Write report.html at the end.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn word vectors, BERT or GPT from text, by a recipe."""
    from foretext.base.config import duration_seconds
    from foretext.base.runtime import is_first_process
    from foretext.pretraining.pretraining import run_recipe
    from foretext.recipe import Recipe
    from foretext.run_folder import RunFolder
    from foretext.shards.engines import asked_engine

    given = [*(settings or []), *reading(encoding, column), *hiding(entities)]
    given += _of_vectors(recipe, config, given_options(memory=memory, processes=processes))
    chosen = Recipe.load(recipe, given, config)
    learned = run_recipe(
        chosen,
        corpus,
        output,
        budget=None if budget is None else duration_seconds(budget),
        base=base,
        overwrite=overwrite,
        resume=resume,
        quiet=quiet,
        report=report,
        auto=auto,
        engine=asked_engine(engine, address, workers),
    )
    if not is_first_process():
        return
    last = learned.history[-1] if learned.history else {}
    kept = RunFolder(output).facts()  # the figures of the weights that are kept
    facts = {name: kept.get(name) for name in ("loss", "valid_loss")}
    facts |= {name: kept[name] for name in ("components_loss",) if name in kept}
    if as_json:
        warnings = {name: kept[name] for name in ("warnings",) if name in kept}
        seconds = last.get("time")
        print_json({"run": str(output), **learned.size, **facts, "seconds": seconds, **warnings})
        return
    sizes = commas(_size(name, value) for name, value in learned.size.items())
    say(message("terminal.made", what=sizes, path=output))
    if facts.get("components_loss") is not None:
        errors = {"error": facts["valid_loss"], "components": facts["components_loss"]}
        say(message("terminal.components", **errors))
    say(message("terminal.next", command=_next_command(learned, output)))


def _size(name: str, value: int) -> str:
    return message("terminal.size", value=value, name=translated(name.replace("_", " ")))


def _of_vectors(recipe: str, config: Path | None, options: dict[str, Any]) -> list[str]:
    """Return options of word vectors as settings.

    Raises:
        SettingError: the recipe learns no word vectors.
    """
    from foretext.recipe import Recipe

    if options and "vectors" not in Recipe.load(recipe, config=config).parts:
        name = next(iter(options))
        raise SettingError(f"--{name} is for word vectors, and {recipe} learns none; {ELSE[name]}.")
    return [f"vectors.{name}={json.dumps(value)}" for name, value in options.items()]


def _next_command(learned: Pretrained, output: Path) -> str:
    """What to try first with what was learned, safe to paste into a shell."""
    from foretext.pretraining.learner import learner_of

    run = shlex.quote(str(output))
    return f"foretext {learner_of(learned.recipe).next_command(learned.model, run)}"
