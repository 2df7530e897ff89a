"""``foretext quantize RUN TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.cli.shared import AsJson, Overwrite, print_json
from foretext.terminal import say

__all__ = ["quantize"]


def quantize(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run of fastText's classifier, or its .bin.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="A folder, or a .ftz file for fastText.")
    ],
    cutoff: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Words and n-grams to keep; all without this."),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Rows to learn on from after words were left out."),
    ] = None,
    dsub: Annotated[
        int, typer.Option(metavar="N", min=1, help="Numbers of a vector to a byte.")
    ] = 2,
    qnorm: Annotated[
        bool, typer.Option("--qnorm", help="Keep the length of a vector in a byte of its own.")
    ] = False,
    test: Annotated[
        str | None, typer.Option(metavar="ROWS", help="Rows to measure the result on.")
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Make a fastText classifier small.

    Vectors become bytes, and only those that matter are kept.
    """
    from foretext.classifiers.fasttext.classifier import FastTextClassifier

    classifier = FastTextClassifier.load(run)
    small = classifier.quantize(train, cutoff=cutoff, dsub=dsub, qnorm=qnorm)
    small.save(target, overwrite=overwrite, note=lambda text: say(f"note: {text}", error=True))
    files = target.iterdir() if target.is_dir() else [target]
    result = {"output": str(target), "bytes": sum(path.stat().st_size for path in files)}
    if test is not None:
        accuracies = [each.evaluate(test)["accuracy"] for each in (classifier, small)]
        result |= dict(zip(("accuracy_before", "accuracy"), accuracies, strict=True))
    if as_json:
        print_json(result)
        return
    say(f"{result['bytes']:,} bytes: {target}")
    if test is not None:
        say(f"accuracy {result['accuracy']:.4f}, before {result['accuracy_before']:.4f}")
