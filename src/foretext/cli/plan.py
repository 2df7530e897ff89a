"""``foretext plan RECIPE CORPUS... [--budget 10m]``, ``foretext plan RECIPE --dry-run``."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.completion import complete_recipe
from foretext.cli.shared import (
    AsJson,
    Auto,
    Column,
    Encoding,
    Entities,
    RecipeFile,
    RecipeSettings,
    given_options,
    hiding,
    print_json,
    print_table,
    reading,
    titles,
)
from foretext.messages import message, translated

if TYPE_CHECKING:
    from foretext.pretraining.plan.dry_run import DryRun
    from foretext.pretraining.plan.size import Candidate
    from foretext.recipe import Recipe

__all__ = ["plan"]


def plan(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE",
            help="A language model's name or a TOML file.",
            autocompletion=complete_recipe,
        ),
    ],
    corpus: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="Files, folders, globs or URLs of text."),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Wall-clock time for everything, such as 90s, 10m; default: by the text's size.",
        ),
    ] = None,
    config: RecipeFile = None,
    settings: RecipeSettings = None,
    encoding: Encoding = None,
    column: Column = None,
    entities: Entities = None,
    auto: Auto = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Measure nothing: say what a training needs on --device; no CORPUS."
        ),
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Of a dry run: processes, one device each; by default 1."
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of a dry run: h200, a100-80gb, l4 and so on; by default h100."
        ),
    ] = None,
    utilization: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=0.01,
            max=1,
            help="Of a dry run: share of the device's speed that is used; by default 0.4.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose a size and settings for a text and a time.

    A few timed steps show what the machine can do.
    """
    from foretext.base.config import duration_seconds
    from foretext.base.runtime import command_began
    from foretext.corpus import Corpus
    from foretext.pretraining.planning import plan_network
    from foretext.recipe import Recipe
    from foretext.recipe.text_settings import suited

    given = [*(settings or []), *reading(encoding, column), *hiding(entities)]
    chosen = Recipe.load(recipe, given, config)
    if "backbone" not in chosen.parts:
        raise SettingError(message("options.plan.nothing", recipe=recipe))
    of_machine = given_options(processes=processes, device=device, utilization=utilization)
    if dry_run:
        of_text = given_options(
            budget=budget, encoding=encoding, column=column, entities=entities, auto=auto or None
        )
        _refuse_of_text(corpus, of_text)
        _show_dry_runs(chosen, **of_machine, as_json=as_json)
        return
    for name in of_machine:
        raise SettingError(message("options.plan.without_dry_run", name=name))
    if not corpus:
        raise SettingError(message("errors.option.no_plan_text"))
    seconds = None if budget is None else duration_seconds(budget)
    chosen, text, notes = suited(chosen, Corpus(corpus, chosen.corpus), auto=auto)
    made = plan_network(chosen, text, seconds, used=time.monotonic() - command_began())
    if as_json:
        print_json({**made.as_dict(), "notes": notes})
        return
    columns = titles(
        "", "tables.size", "tables.parameters", "tables.tokens_a_second", "tables.tokens",
        "tables.epochs", "tables.memory", "tables.loss_about",
    )  # fmt: skip
    print_table(columns, [_row(each) for each in made.candidates])
    say()
    for sentence in (*notes, *made.sentences()):
        say(sentence)
    options = [] if config is None else ["--config", str(config)]
    options += [part for setting in settings or [] for part in ("--set", setting)]
    options += [] if encoding is None else ["--encoding", encoding]
    options += [] if column is None else ["--column", column]
    options += [] if entities is None else ["--entities", entities]
    options += ["--auto"] if auto else []
    options += [] if budget is None else ["--budget", budget]
    arguments = shlex.join([recipe, *corpus, "-o", "RUN", *options])
    say(message("terminal.plan.begin", command=f"foretext pretrain {arguments}"))


def _refuse_of_text(corpus: list[str] | None, options: Iterable[str]) -> None:
    """Refuse what a dry run does not read.

    Raises:
        SettingError: it was given.
    """
    if corpus:
        raise SettingError(f"--dry-run reads no text; leave out {corpus[0]}.")
    for name in options:
        raise SettingError(message("options.plan.no_time", name=name))


def _row(candidate: Candidate) -> list[Any]:
    from foretext.progress.bar import human_bytes, human_count

    known = [
        "→" if candidate.chosen else "",
        candidate.name,
        human_count(candidate.parameters),
    ]
    memory = human_bytes(candidate.memory_bytes)
    if candidate.tokens_per_second is None:
        return [*known, translated(candidate.note), "", "", memory, ""]
    return [
        *known,
        human_count(candidate.tokens_per_second),
        human_count(candidate.tokens or 0),
        f"{candidate.epochs:.2g}",
        memory,
        translated("unknown")
        if candidate.expected_loss is None
        else f"{candidate.expected_loss:.2f}",
    ]


def _show_dry_runs(
    recipe: Recipe,
    *,
    device: str = "h100",
    processes: int = 1,
    utilization: float = 0.4,
    as_json: bool = False,
) -> None:
    """Print what a training needs on devices that are not here."""
    from foretext.pretraining.planning import dry_runs_of
    from foretext.progress.bar import human_count, human_seconds

    recipe, found = dry_runs_of(recipe, device, processes, utilization)
    if as_json:
        print_json({"recipe": recipe.name, "dry_runs": [each.as_dict() for each in found]})
        return
    first = found[0]
    known = {"name": recipe.name, "parameters": human_count(first.parameters), "device": device}
    key = "process" if processes == 1 else "processes"
    say(message(f"terminal.plan.{key}", number=processes, **known))
    columns = titles(
        "tables.sharding", "tables.weights", "tables.gradients", "tables.optimizer",
        "tables.activations", "tables.in_all", "tables.fits", "tables.tokens_a_second",
        "tables.network", "tables.billion_tokens",
    )  # fmt: skip
    rows = [
        [
            *_memory(each),
            human_count(each.tokens_per_second),
            f"{each.network_seconds / each.step_seconds:.0%}",
            human_seconds(1e9 / each.tokens_per_second),
        ]
        for each in found
    ]
    print_table(columns, rows)
    tokens = human_count(first.step_tokens)
    say(message("terminal.plan.step", tokens=tokens, utilization=utilization))


def _memory(each: DryRun) -> list[str]:
    from foretext.progress.bar import human_bytes

    kept = each.bytes
    parts = (kept.weights, kept.gradients, kept.optimizer, kept.activations, each.total_bytes)
    return [
        each.sharding,
        *map(human_bytes, parts),
        message("page.yes" if each.fits else "page.no"),
    ]
