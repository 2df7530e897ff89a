"""``foretext finetune TASK BASE TRAIN -o RUN``, or ``foretext finetune --config FILE -o RUN``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_base, complete_task
from foretext.cli.row_options import (
    Label,
    Negative,
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
    Overwrite,
    Quiet,
    TaskSettings,
    figure_title,
    given_options,
    print_json,
    print_table,
    titles,
)
from foretext.messages import message, translated
from foretext.tasks.named_columns import checked_columns, files_of_rows

if TYPE_CHECKING:
    from foretext.finetuning.recipe import TaskRecipe

__all__ = ["finetune"]

NOT_SHOWN = (
    "kind", "foretext", "title", "usage", "files", "watched", "layer_weights",
    "informative_features",
)  # fmt: skip


def finetune(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK",
            autocompletion=complete_task,
            help="What to learn: classification, matching, tagging, span_qa, text_to_text, "
            "sentence_vectors, or module:Class.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Argument(
            metavar="BASE",
            autocompletion=complete_base,
            help="What it is learned on: a run, a Hugging Face folder, a vector file; or a name, "
            "to learn from scratch: textcnn, lstm, gru, rnn, reader, transformer, fasttext, "
            "linear, embeddings, or auto, which chooses; for text_to_text transformer-2017, "
            "gru-attention, lstm-attention; or module:Class.",
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Argument(metavar="TRAIN", help="Rows to learn from: csv, tsv, jsonl, txt, parquet."),
    ] = None,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="RUN", help="The folder to keep the run in.")
    ],
    valid: Annotated[
        str | None, typer.Option(metavar="ROWS", help="Rows to choose weights and settings by.")
    ] = None,
    test: Annotated[
        str | None, typer.Option(metavar="ROWS", help="Rows to measure the result on.")
    ] = None,
    unlabelled: Annotated[
        str | None,
        typer.Option(
            metavar="TEXTS",
            help="Texts without labels: for auto and embeddings, for --teacher, --adapt or "
            "consistency.",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="A model whose probabilities are learned beside the labels: a run, or linear, "
            "fasttext, self, ensemble.",
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="RUN",
            help="Another base of auto or embeddings: a run, a model folder or a vector file; "
            "may be given several times. Over an ELMo: word vectors, joined with its states.",
        ),
    ] = None,
    adapt: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Continue the pretraining of BASE on the texts first: a time, or a share of the "
            "budget, such as 0.3.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A TOML file of settings, with TASK, BASE and TRAIN in its section run.",
        ),
    ] = None,
    text: Text = None,
    label: Label = None,
    text_a: TextA = None,
    text_b: TextB = None,
    negative: Negative = None,
    score: Score = None,
    source: Source = None,
    target: Target = None,
    valid_target: ValidTarget = None,
    test_target: TestTarget = None,
    token: Token = None,
    tag: Tag = None,
    settings: TaskSettings = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Trainings, for a mean and a deviation.")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Wall-clock time of the whole command, in place of epochs."
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Wall-clock time to search settings in, beside the budget."
        ),
    ] = None,
    curve: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="A learning curve: also learn from these numbers of labels, such as 20,100,all, "
            "and measure on --test; auto pretrains on --unlabelled only once.",
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Draws of each number of labels, by default 5."),
    ] = None,
    overwrite: Overwrite = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run.")] = False,
    report: Annotated[bool, typer.Option(help="Write report.html at the end.")] = True,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn a task from labelled rows."""
    from foretext.finetuning.recipe import SECTIONS, TaskRecipe
    from foretext.finetuning.run import run_finetuning
    from foretext.recipe import read_overrides

    sections = read_overrides(settings or [], SECTIONS)
    if seeds is not None:
        sections.setdefault("finetuning", {})["seeds"] = seeds
    if adapt is not None:
        sections.setdefault("finetuning", {})["adapt"] = adapt
    files, column = files_of_rows(
        {"train": train, "valid": valid, "test": test},
        {"train": target, "valid": valid_target, "test": test_target},
    )
    recipe = TaskRecipe.load(
        config, sections, task=task, base=base, budget=budget, search=search,
        unlabelled=unlabelled, teacher=teacher, beside=tuple(beside or ()) or None, **files,
    )  # fmt: skip
    columns = given_options(
        text=text, label=label, text_a=text_a, text_b=text_b, negative=negative, score=score,
        source=source, target=column, token=token, tag=tag,
    )  # fmt: skip
    recipe = _with_columns(recipe, columns)
    from foretext.comparison.label_curve import curve_lines

    options: dict[str, Any] = {
        "overwrite": overwrite,
        "resume": resume,
        "quiet": quiet,
        "report": report,
    }
    found = None
    if curve is not None or draws is not None:
        found = _learning_curve(recipe, output, curve, draws, options)
    facts = run_finetuning(recipe, output, **options).facts if found is None else _facts(output)
    if as_json:
        more = {} if found is None else {"label_curve": found}
        print_json(_result(output, facts) | more)
        return
    _show(facts)
    if found is not None:
        say("\n".join([*curve_lines(found, found["judged_by"]), ""]))
    command = f"foretext predict {shlex.quote(str(output))} INPUT"
    say(message("terminal.kept", path=output, command=command))


def _with_columns(recipe: TaskRecipe, columns: dict[str, str]) -> TaskRecipe:
    """Return the recipe with the columns of its files."""
    from foretext.finetuning.bases import task_on

    known = task_on(recipe.task, recipe.base).rows_config
    return recipe.with_settings("rows", checked_columns(columns, recipe.task, known))


def _learning_curve(
    recipe: TaskRecipe,
    output: Path,
    curve: str | None,
    draws: int | None,
    options: dict[str, bool],
) -> dict[str, Any]:
    """Learn from all rows and from draws of fewer.

    Raises:
        SettingError: draws without numbers, or wrong ones.
    """
    from foretext.base.errors import SettingError
    from foretext.comparison.draws import read_labels
    from foretext.comparison.finetuned_curve import finetune_curve

    if curve is None:
        raise SettingError(message("options.finetune.draws"))
    labels = read_labels(curve, "--curve")
    return finetune_curve(recipe, output, labels, draws=draws or 5, **options)


def _facts(run: Path) -> dict[str, Any]:
    from foretext.run_folder import RunFolder

    return RunFolder(run).facts()


def _show(facts: dict[str, Any]) -> None:
    """The figures of each part, those of the baselines beside them, and what they mean."""
    from foretext.finetuning.writing import summary_lines
    from foretext.report.task_card import RIVALS

    network, rivals = facts.get("network"), [facts.get(name) for name in RIVALS]
    both = message("terminal.finetune.both") if network else facts["base"]
    models = [(both, facts)]
    models += [(message("terminal.finetune.network"), network)] if network else []
    models += [(translated(rival["name"]), rival) for rival in rivals if rival]
    for part in ("valid", "test"):
        figures = {name: _numbers(of.get(part) or {}) for name, of in models}
        measured = [name for name, numbers in figures.items() if numbers]
        if measured:
            names = figures[models[0][0]]
            rows = [
                [figure_title(name), *(figures[model].get(name, "") for model in measured)]
                for name in names
            ]
            print_table(["", *measured], rows, title=message(f"terminal.finetune.part.{part}"))
    if facts.get("seeds"):
        rows = [
            [
                message(f"terminal.finetune.part.{part}"),
                facts["seeds"][part]["mean"],
                facts["seeds"][part]["deviation"],
            ]
            for part in ("valid", "test")
            if facts["seeds"][part]
        ]
        seeds = len(facts["seeds"]["seeds"])
        figure = figure_title(facts["judged_by"])
        title = message("terminal.finetune.seeds", figure=figure, number=seeds)
        print_table(titles("", "tables.mean", "tables.deviation"), rows, title=title)
    say("\n".join(["", *summary_lines(facts), ""]))


def _result(run: Path, facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without the tables of labels, and without what is for card and page alone."""
    shown = {name: value for name, value in facts.items() if name not in NOT_SHOWN}
    network = shown.get("network")
    without = {} if network is None else {"network": _without_tables(network)}
    return {"run": str(run), **_without_tables(shown), **without}


def _without_tables(parts: dict[str, Any]) -> dict[str, Any]:
    shorter = {
        part: {name: value for name, value in parts[part].items() if name != "labels"}
        for part in ("valid", "test")
        if parts.get(part) is not None
    }
    return {**parts, **shorter}


def _numbers(figures: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figures.items() if isinstance(value, int | float)}
