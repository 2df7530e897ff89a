"""``foretext predict RUN [INPUT|-]``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from foretext.cli.shared import AsJson, print_json, read_texts

__all__ = ["predict"]

BLOCK = 4096  # texts answered at once


def predict(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run of classification, or a .bin or .ftz file.")
    ],
    texts: Annotated[
        str, typer.Argument(metavar="INPUT", help="A file with a text a line; - reads them here.")
    ] = "-",
    k: Annotated[int, typer.Option("-k", min=1, help="Labels a text.")] = 1,
    threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Leave out labels less likely than this.")
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Say which labels each line of text has, the most likely first, with their chances."""
    from foretext.pipeline.finetuning import load_classifier

    classifier = load_classifier(run)
    lines = read_texts(texts)
    while block := list(islice(lines, BLOCK)):
        answers = classifier.predict_top(block, k, threshold)
        for text, answer in zip(block, answers, strict=True):
            if as_json:
                labels = [{"label": label, "chance": round(chance, 6)} for label, chance in answer]
                print_json({"text": text, "labels": labels})
            else:
                found = "  ".join(f"{label} {chance:.4f}" for label, chance in answer)
                typer.echo(f"{found}\t{text}")
