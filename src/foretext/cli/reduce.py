"""``foretext reduce RUN TARGET --dim 50``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, Overwrite, Quiet, RunArgument, print_json
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["reduce"]


def reduce(
    run: RunArgument,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The vector file to write.")],
    dim: Annotated[int, typer.Option(metavar="N", help="Dimensions to keep.")],
    method: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="pca; or train a linear or a denoising autoencoder and keep its codes.",
        ),
    ] = "pca",
    remove_mean: Annotated[
        bool,
        typer.Option("--remove-mean", help="pca: take out what all words have in common first."),
    ] = False,
    standardize: Annotated[
        bool,
        typer.Option(
            "--standardize",
            help="pca: take out the mean, and divide each dimension by its standard deviation.",
        ),
    ] = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write vectors of fewer dimensions, by PCA or an autoencoder.

    The result says how much of their variance is kept.
    """
    from foretext.artifact import load_vectors
    from foretext.base.files import refuse_existing

    refuse_existing(target, overwrite=overwrite)
    vectors = load_vectors(run)
    reduced, rates = _reduced(vectors, dim, method, remove_mean, standardize, quiet)
    reduced.save(target)
    result = {
        "target": str(target),
        "words": len(vectors),
        "from": vectors.vector_size,
        "vector_size": dim,
        "method": method,
        **rates,
    }
    if as_json:
        print_json(result)
        return
    key = "beside_components" if "components_rate" in rates else "done"
    say(
        message(
            f"terminal.reduce.{key}",
            words=number_of("word", len(vectors)),
            dim=dim,
            size=vectors.vector_size,
            rate=rates["variance_rate"],
            components=rates.get("components_rate"),
            path=target,
        )
    )


def _reduced(
    vectors: WordVectors, dim: int, method: str, remove_mean: bool, standardize: bool, quiet: bool
) -> tuple[WordVectors, dict[str, float]]:
    """Return the vectors of fewer dimensions, and the shares of variance that are kept."""
    from foretext.base.errors import SettingError
    from foretext.base.registry import imported
    from foretext.vectors.reduction import reduce_dimensions

    if method == "pca":
        if remove_mean and standardize:
            raise SettingError(message("options.reduce.mean"))
        reduction = reduce_dimensions(
            vectors, dim, remove_mean=remove_mean, standardize=standardize
        )
        return reduction.vectors, {"variance_rate": reduction.variance_rate}
    if remove_mean or standardize:
        option = "--remove-mean" if remove_mean else "--standardize"
        raise SettingError(message("options.reduce.autoencoder", option=option))
    coded = imported("foretext.pretraining.reduction:code_vectors")(
        vectors, dim, method, quiet=quiet
    )
    return coded.vectors, {
        "variance_rate": coded.variance_rate,
        "components_rate": coded.components_rate,
    }
