"""``foretext reduce RUN TARGET --dim 50``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.cli.shared import AsJson, Overwrite, RunArgument, print_json

__all__ = ["reduce"]


def reduce(
    run: RunArgument,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The vector file to write.")],
    dim: Annotated[int, typer.Option(help="Dimensions to keep.")],
    remove_mean: Annotated[
        bool, typer.Option("--remove-mean", help="Take out what all words have in common first.")
    ] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write vectors of fewer dimensions, by principal components, and say how much they keep."""
    from foretext.artifact import load
    from foretext.files import refuse_existing
    from foretext.vectors.reduction import reduce_dimensions

    refuse_existing(target, overwrite=overwrite)
    vectors = load(run)
    reduced = reduce_dimensions(vectors, dim, remove_mean=remove_mean)
    reduced.vectors.save(target)
    result = {
        "target": str(target),
        "words": len(vectors),
        "from": vectors.vector_size,
        "vector_size": dim,
        "variance_rate": reduced.variance_rate,
    }
    if as_json:
        print_json(result)
    else:
        typer.echo(
            f"{len(vectors):,} words, {dim} of {vectors.vector_size} dimensions with "
            f"{reduced.variance_rate:.1%} of the variance: {target}"
        )
