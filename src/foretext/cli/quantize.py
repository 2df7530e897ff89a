"""``foretext quantize RUN TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from foretext.base.errors import SettingError
from foretext.base.terminal import say
from foretext.cli.shared import (
    AsJson,
    Overwrite,
    figure_title,
    given_options,
    print_json,
    refuse_options,
)
from foretext.messages import message

__all__ = ["quantize"]

FASTTEXT = "fasttext classifier"  # kind of a run


def quantize(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A run of fastText's classifier, or its .bin; or a task's network."
        ),
    ],
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="A folder, or a .ftz file for fastText.")
    ],
    cutoff: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="fastText: words and n-grams to keep; all without this."
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(
            metavar="ROWS", help="fastText: rows to learn on from after words were left out."
        ),
    ] = None,
    dsub: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="fastText: numbers of a vector to a byte, by default 2."
        ),
    ] = None,
    qnorm: Annotated[
        bool,
        typer.Option("--qnorm", help="fastText: keep the length of a vector in a byte of its own."),
    ] = False,
    test: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Rows to measure the result on; a network needs them."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Make a fastText classifier small, or a network fast.

    A classifier's vectors become bytes, and only those that matter are kept. A network multiplies
    integers (int8) from then on, if its figure on ROWS falls by 0.5 points at most.
    """
    from foretext.artifact import opened_run
    from foretext.tasks import is_task

    given = given_options(cutoff=cutoff, train=train, dsub=dsub, qnorm=qnorm or None)
    opened = opened_run(run)
    if run.is_dir() and is_task(opened.kind):
        refuse_options(run, "a network", given)
        result = _network(opened.path, target, test, overwrite=overwrite)
    elif run.is_dir() and opened.kind not in (None, FASTTEXT):
        raise SettingError(message("options.quantize.neither", run=run))
    else:
        result = _classifier(run, target, test, given, overwrite=overwrite)
    if as_json:
        print_json(result)
        return
    say(message("terminal.bytes", bytes=result["bytes"], path=target))
    if test is not None:
        name = result.get("figure", "accuracy")
        before, after = (result[key] for key in (f"{name}_before", name))
        figure = figure_title(name)
        say(message("terminal.quantize.figure", figure=figure, after=after, before=before))


def _classifier(
    run: Path, target: Path, test: str | None, given: dict[str, Any], *, overwrite: bool
) -> dict[str, Any]:
    from foretext.tasks.fasttext.classifier import FastTextClassifier

    classifier = FastTextClassifier.load(run)
    small = classifier.quantize(given.pop("train", None), **given)
    small.save(target, overwrite=overwrite, note=_note)
    result = _written(target)
    if test is not None:
        accuracies = [each.evaluate(test)["accuracy"] for each in (classifier, small)]
        result |= dict(zip(("accuracy_before", "accuracy"), accuracies, strict=True))
    return result


def _note(text: str) -> None:
    say(message("terminal.note", said=text), error=True)


def _network(run: Path, target: Path, test: str | None, *, overwrite: bool) -> dict[str, Any]:
    from foretext.artifact import reading_of_run
    from foretext.base.files import refuse_existing
    from foretext.evaluation.precision import keep_int8
    from foretext.tasks.model import TaskModel

    if test is None:
        raise SettingError(message("options.quantize.test", run=run))
    refuse_existing(target, overwrite=overwrite)
    model = TaskModel.load(run)
    model.reading = reading_of_run(run, model)
    figures = keep_int8(model, model.read_rows(test))
    model.save(target)
    name = figures.name
    return _written(target) | {
        "figure": name,
        f"{name}_before": figures.before,
        name: figures.after,
    }


def _written(target: Path) -> dict[str, Any]:
    files = target.iterdir() if target.is_dir() else [target]
    return {"output": str(target), "bytes": sum(path.stat().st_size for path in files)}
