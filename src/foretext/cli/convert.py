"""``foretext convert SOURCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.cli.shared import AsJson, Overwrite, RunArgument, print_json

__all__ = ["convert"]


def convert(
    source: RunArgument,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(help="word2vec, word2vec-bin, glove or safetensors; else by TARGET's name."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a run's vectors, or a vector file, in another format."""
    from foretext.artifact import load
    from foretext.files import refuse_existing

    refuse_existing(target, overwrite=overwrite)
    vectors = load(source)
    vectors.save(target, to)
    result = {"target": str(target), "words": len(vectors), "vector_size": vectors.vector_size}
    if as_json:
        print_json(result)
    else:
        typer.echo(f"{len(vectors):,} words, {vectors.vector_size} dimensions: {target}")
