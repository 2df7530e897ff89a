"""``foretext finetune TASK BASE TRAIN -o RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from foretext.cli.shared import AsJson, Overwrite, Quiet, print_json, print_table

__all__ = ["finetune"]


def finetune(
    task: Annotated[str, typer.Argument(metavar="TASK", help="What to learn: classification.")],
    base: Annotated[str, typer.Argument(metavar="BASE", help="What learns it: fasttext.")],
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="Labelled rows: csv, tsv, jsonl, txt, parquet.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="RUN", help="The folder to keep the run in.")
    ],
    valid: Annotated[
        str | None, typer.Option(help="Rows to choose settings by; their loss is recorded.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="Rows to measure the result on.")] = None,
    text: Annotated[str | None, typer.Option(help="The column of the text.")] = None,
    label: Annotated[str | None, typer.Option(help="The column of the label.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Change one setting."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Wall-clock time of the training, in place of epochs.")
    ] = None,
    search: Annotated[
        str | None, typer.Option(help="Wall-clock time to search settings in, such as 5m.")
    ] = None,
    overwrite: Overwrite = False,
    report: Annotated[bool, typer.Option(help="Write report.html at the end.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a task from labelled rows."""
    from foretext.data.rows import RowsConfig
    from foretext.pipeline.finetuning import run_finetuning, section_names
    from foretext.recipe import read_overrides
    from foretext.report.run_report import report_run

    sections = read_overrides(settings or [], section_names(task, base))
    columns = {
        name: int(given) if given.isdecimal() else given
        for name, given in (("text", text), ("label", label))
        if given is not None
    }
    rows = RowsConfig.checked(sections.pop("rows", {}) | columns, "rows")
    facts = run_finetuning(
        task,
        base,
        train,
        output,
        valid=valid,
        test=test,
        settings=sections,
        rows=rows,
        budget=budget,
        search=search,
        overwrite=overwrite,
        quiet=quiet,
    ).facts
    if report:
        report_run(output)
    result = _result(output, facts)
    if as_json:
        print_json(result)
        return
    parts = [(part, facts[part]) for part in ("valid", "test") if facts[part] is not None]
    typer.echo(f"{facts['labels']:,} labels from {facts['texts']:,} texts: {output}")
    if parts:
        names = ("texts", "accuracy", "precision", "recall", "macro_f1")
        print_table(["", *names], [(part, *(each[name] for name in names)) for part, each in parts])
    typer.echo(f"try: foretext predict {output} TEXTS")


def _result(run: Path, facts: dict[str, Any]) -> dict[str, Any]:
    names = ("task", "base", "texts", "labels", "words", "loss", "valid_loss", "seconds", "search")
    figures = {
        part: facts[part] and {name: v for name, v in facts[part].items() if name != "labels"}
        for part in ("valid", "test")
    }
    chosen = {"settings": facts["classifier"]} if facts["search"] else {}
    return {"run": str(run), **{name: facts[name] for name in names}, **figures, **chosen}
