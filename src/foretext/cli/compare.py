"""``foretext compare CORPUS... --task TASK --train ROWS --test ROWS --budget 60m -o OUT``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.completion import complete_candidate, complete_task
from foretext.cli.row_options import (
    Label,
    Score,
    Source,
    Tag,
    Target,
    TestTarget,
    Text,
    TextA,
    TextB,
    Token,
    ValidTarget,
)
from foretext.cli.shared import (
    AsJson,
    Column,
    Encoding,
    Overwrite,
    Quiet,
    given_options,
    print_json,
)
from foretext.messages import message
from foretext.tasks.named_columns import checked_columns, files_of_rows

if TYPE_CHECKING:
    from foretext.comparison.comparison import Comparison

__all__ = ["compare"]

Sections = dict[str, dict[str, Any]]

FOR_ALL = ("rows", "corpus")  # sections that candidates have in common


def compare(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS",
            help="Files, folders, globs or URLs of text to pretrain on; without one, the texts of "
            "TRAIN.",
        ),
    ] = None,
    *,
    task: Annotated[
        str,
        typer.Option(
            metavar="TASK",
            autocompletion=complete_task,
            help="What is learned: classification, matching, tagging, span_qa, text_to_text, or "
            "module:Class.",
        ),
    ],
    train: Annotated[
        str, typer.Option(metavar="ROWS", help="Labelled rows: csv, tsv, jsonl, txt, parquet.")
    ],
    valid: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Rows to choose by; else some of TRAIN are held out."),
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Rows to measure on, once, at the end."),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Wall-clock time of everything together, such as 10m or 1h."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="The folder to keep everything in."),
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CANDIDATE",
            autocompletion=complete_candidate,
            help="Try these alone; a candidate, or a group such as vectors. May be repeated. "
            "`foretext list --candidates TASK` shows them.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CANDIDATE", autocompletion=complete_candidate, help="Leave these out."
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="RUN|CANDIDATE",
            autocompletion=complete_candidate,
            help="Try these, too: a run, a model folder, a vector file, a recipe, a TOML file.",
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Fine-tunings of each candidate."),
    ] = 1,
    rounds: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Successive halving: after each round the better half goes on, with more time.",
        ),
    ] = 1,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Learning curves: each candidate learns from so many labels, such as "
            "20,50,100,500,all.",
        ),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Draws of the rows of each number of labels."),
    ] = 5,
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Of the rows held out or drawn, and of the first training."
        ),
    ] = 0,
    text: Text = None,
    label: Label = None,
    text_a: TextA = None,
    text_b: TextB = None,
    score: Score = None,
    source: Source = None,
    target: Target = None,
    valid_target: ValidTarget = None,
    test_target: TestTarget = None,
    token: Token = None,
    tag: Tag = None,
    encoding: Encoding = None,
    column: Column = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="CANDIDATE:SECTION.NAME=VALUE",
            help="Change a setting of one candidate; rows.NAME and corpus.NAME are for all.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished comparison in OUT.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Find out what to train for a task, in one budget."""
    from foretext.base.config import duration_seconds
    from foretext.comparison.draws import read_labels
    from foretext.comparison.request import CompareRequest
    from foretext.comparison.run import run_comparison
    from foretext.data.rows.parallel_files import as_parallel_files

    files, column_of_targets = files_of_rows(
        {"train": train, "valid": valid, "test": test},
        {"train": target, "valid": valid_target, "test": test_target},
    )
    sources: dict[str, Any] = {
        part: as_parallel_files(each) or each for part, each in files.items()
    }
    columns = given_options(
        text=text, label=label, text_a=text_a, text_b=text_b, score=score, source=source,
        target=column_of_targets, token=token, tag=tag,
    )  # fmt: skip
    common, of_candidates = _settings(settings or [])
    rows = {**common.get("rows", {}), **_columns(columns, task)}
    reading = {**common.get("corpus", {}), **given_options(encoding=encoding, column=column)}
    request = CompareRequest(
        task=task,
        corpus=tuple(corpus or ()),
        budget_seconds=duration_seconds(budget),
        rows=rows,
        text=reading,
        seeds=seeds,
        rounds=rounds,
        labels=read_labels(labels),
        draws=draws,
        seed=seed,
        only=tuple(only or ()),
        without=tuple(without or ()),
        given=tuple(given or ()),
        settings=of_candidates,
        **sources,
    )
    found = run_comparison(request, output, overwrite=overwrite, resume=resume, quiet=quiet)
    if as_json:
        print_json(_result(found))
        return
    say(str(found))
    say(message("terminal.shows_all", path=output / "report.html"))
    if found.recommendation is not None:
        command = f"foretext predict {shlex.quote(str(output / 'best'))} INPUT"
        say(message("terminal.next", command=command))


def _columns(columns: dict[str, str], task: str) -> dict[str, str | int]:
    """Return the columns that the user names, by the settings of the section rows."""
    if not columns:
        return {}
    from foretext.comparison.rows import compared_task

    return checked_columns(columns, task, compared_task(task).rows_config)


def _settings(given: Sequence[str]) -> tuple[Sections, dict[str, Sections]]:
    """Return the settings that all candidates have in common, and those of single ones.

    Raises:
        SettingError: one is neither.
    """
    from foretext.recipe.recipe import overridden

    common: list[str] = []
    single: dict[str, list[str]] = {}
    for each in given:
        names, equals, value = each.partition("=")
        candidate, colon, name = names.rpartition(":")
        if colon:
            single.setdefault(candidate, []).append(f"{name}{equals}{value}")
        else:
            common.append(each)
    shared = overridden({}, common)
    for section in shared:
        if section not in FOR_ALL:
            raise SettingError(
                f"--set {section}: say which candidate is meant, as in "
                f"--set modern-bert:{section}.NAME=VALUE; for all there are rows and corpus."
            )
    return shared, {name: overridden({}, values) for name, values in single.items()}


def _result(found: Comparison) -> dict[str, Any]:
    """What `--json` prints; ``compare.json`` has everything."""
    return {
        "comparison": str(found.folder),
        "recommendation": found.content["recommendation"],
        "best": None if found.content["best"] is None else str(found.folder / "best"),
        "table": found.table,
        **({} if found.label_curve is None else {"label_curve": found.label_curve}),
        "warnings": found.warnings,
    }
