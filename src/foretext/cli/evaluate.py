"""``foretext evaluate RUN DATA...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.cli.shared import AsJson, RunArgument, print_json, print_table

__all__ = ["evaluate"]


def evaluate(
    run: RunArgument,
    data: Annotated[
        list[Path],
        typer.Argument(metavar="DATA...", help="Word pairs with scores, or analogy questions."),
    ],
    restrict_vocab: Annotated[
        int, typer.Option(min=1, help="Analogies: answer from the most frequent words only.")
    ] = 300_000,
    as_json: AsJson = False,
) -> None:
    """Score vectors on similarity and analogy files, and say what was out of the vocabulary."""
    from foretext.artifact import load
    from foretext.evaluation import evaluate_vectors

    results = evaluate_vectors(load(run), data, restrict_vocab=restrict_vocab)
    if as_json:
        print_json(
            {str(path): result.as_dict() for path, result in zip(data, results, strict=True)}
        )
        return
    for path, result in zip(data, results, strict=True):
        print_table(["", ""], result.rows(), title=path.name)
