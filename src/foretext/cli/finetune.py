"""``foretext finetune TASK BASE TRAIN -o RUN``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from foretext.cli.shared import AsJson, Overwrite, Quiet, given_options, print_json, print_table
from foretext.errors import SettingError
from foretext.terminal import say

__all__ = ["finetune"]

ROW_OPTIONS = ("text", "label", "text_a", "text_b", "score", "token", "tag")


def finetune(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK", help="What to learn: classification, matching, tagging, span_qa."
        ),
    ],
    base: Annotated[
        str,
        typer.Argument(
            metavar="BASE",
            help="What it is learned on: a run, a Hugging Face folder, a vector file, or textcnn, "
            "lstm, gru, rnn, transformer, fasttext, linear to begin from nothing.",
        ),
    ],
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="Labelled rows: csv, tsv, jsonl, txt, parquet.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="RUN", help="The folder to keep the run in.")
    ],
    valid: Annotated[
        str | None, typer.Option(help="Rows to choose weights and settings by.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="Rows to measure the result on.")] = None,
    text: Annotated[str | None, typer.Option(help="Classification: the text's column.")] = None,
    label: Annotated[str | None, typer.Option(help="The label's column.")] = None,
    text_a: Annotated[str | None, typer.Option(help="Matching: the first text's column.")] = None,
    text_b: Annotated[str | None, typer.Option(help="Matching: the second text's column.")] = None,
    score: Annotated[
        str | None, typer.Option(help="Matching: the column of a number, in place of a label.")
    ] = None,
    token: Annotated[str | None, typer.Option(help="Tagging: the token's column, from 1.")] = None,
    tag: Annotated[str | None, typer.Option(help="Tagging: the tag's column, or last.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.NAME=VALUE", help="Change one setting."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Trainings, for a mean and a deviation.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Wall-clock time of the training, in place of epochs.")
    ] = None,
    search: Annotated[
        str | None, typer.Option(help="Wall-clock time to search settings in, such as 5m.")
    ] = None,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run.")] = False,
    report: Annotated[bool, typer.Option(help="Write report.html at the end.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a task from labelled rows."""
    from foretext.finetuning.run import rows_config, run_finetuning, section_names
    from foretext.recipe import read_overrides

    sections = read_overrides(settings or [], section_names(task, base))
    columns = given_options(
        text=text, label=label, text_a=text_a, text_b=text_b, score=score, token=token, tag=tag
    )
    if seeds is not None:
        sections.setdefault("finetuning", {})["seeds"] = seeds
    rows = _rows(task, rows_config(task), sections.pop("rows", {}), columns)
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
        resume=resume,
        quiet=quiet,
        report=report,
    ).facts
    if as_json:
        print_json(_result(output, facts))
        return
    _show(facts)
    say(f"{output} is kept; try: foretext predict {shlex.quote(str(output))} INPUT")


def _rows(task: str, config: Any, given: dict[str, Any], columns: dict[str, str]) -> Any:
    """How rows are read; a number names a column by its place."""
    for name, column in columns.items():
        if name not in config.model_fields:
            known = ", ".join(
                f"--{other.replace('_', '-')}"
                for other in ROW_OPTIONS
                if other in config.model_fields
            )
            raise SettingError(
                f"--{name.replace('_', '-')} has no effect on {task}; its columns are named by "
                f"{known or 'none'}."
            )
        given[name] = int(column) if column.isdecimal() else column
    return config.checked(given, "rows")


def _show(facts: dict[str, Any]) -> None:
    """The figures of each part, the baseline's beside them."""
    baseline, network = facts.get("baseline"), facts.get("network")
    models = [("network and linear model" if network else facts["base"], facts)]
    models += [("network alone", network)] if network else []
    models += [(baseline["name"], baseline)] if baseline else []
    for part in ("valid", "test"):
        figures = {name: _numbers(of.get(part) or {}) for name, of in models}
        told = [name for name, numbers in figures.items() if numbers]
        if told:
            names = figures[models[0][0]]
            rows = [[name, *(figures[model].get(name, "") for model in told)] for name in names]
            print_table(["", *told], rows, title=part)
    if facts.get("seeds"):
        rows = [
            [part, facts["seeds"][part]["mean"], facts["seeds"][part]["deviation"]]
            for part in ("valid", "test")
            if facts["seeds"][part]
        ]
        title = f"{facts['judged_by']} over {len(facts['seeds']['seeds'])} seeds"
        print_table(["", "mean", "deviation"], rows, title=title)


def _result(run: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without the tables of labels."""
    told = {name: value for name, value in facts.items() if name not in ("kind", "foretext")}
    _drop_tables(told)
    if told.get("network"):
        told["network"] = dict(told["network"])
        _drop_tables(told["network"])
    has_searched = facts.get("search") and "classifier" in facts  # others tell within `search`
    chosen = {"settings": facts["classifier"]} if has_searched else {}
    return {"run": str(run), **told, **chosen}


def _drop_tables(parts: dict[str, Any]) -> None:
    for part in ("valid", "test"):
        figures = parts.get(part)
        if figures is not None:
            parts[part] = {name: value for name, value in figures.items() if name != "labels"}


def _numbers(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if isinstance(value, int | float)}
