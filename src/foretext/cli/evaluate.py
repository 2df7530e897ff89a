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
        typer.Argument(
            metavar="DATA...",
            help="Word pairs with scores, or analogy questions; images for an autoencoder.",
        ),
    ],
    restrict_vocab: Annotated[
        int, typer.Option(min=1, help="Analogies: answer from the most frequent words only.")
    ] = 300_000,
    as_json: AsJson = False,
) -> None:
    """Score vectors on similarity and analogy files, an autoencoder on examples to reconstruct."""
    from foretext.artifact import RunFolder, load
    from foretext.evaluation import evaluate_vectors

    if RunFolder(run).kind == "autoencoder":
        _evaluate_autoencoder(run, data, as_json)
        return
    results = evaluate_vectors(load(run), data, restrict_vocab=restrict_vocab)
    if as_json:
        print_json(
            {str(path): result.as_dict() for path, result in zip(data, results, strict=True)}
        )
        return
    for path, result in zip(data, results, strict=True):
        print_table(["", ""], result.rows(), title=path.name)


def _evaluate_autoencoder(run: Path, data: list[Path], as_json: bool) -> None:
    from foretext.codec import Codec
    from foretext.evaluation.autoencoders import evaluate_autoencoder

    results = evaluate_autoencoder(Codec.load(run), data)
    if as_json:
        print_json(results)
        return
    columns = ["", "examples", "squared error", "principal components"]
    print_table(columns, [[Path(path).name, *row.values()] for path, row in results.items()])
