"""``foretext convert SOURCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.cli.shared import AsJson, Overwrite, RunArgument, print_json
from foretext.cli.waiting import clock_of
from foretext.terminal import say

__all__ = ["convert"]


def convert(
    source: RunArgument,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write.")],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="word2vec, word2vec-bin, glove, fasttext, safetensors; default: suffix.",
        ),
    ] = None,
    dtype: Annotated[
        Literal["float32", "float16", "int8"],
        typer.Option(help="Type of the numbers; other types than float32 only in safetensors."),
    ] = "float32",
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write a run's vectors, or a vector file, in another format."""
    from foretext.artifact import load_vectors
    from foretext.files import refuse_existing
    from foretext.vectors.storage import storage_loss

    refuse_existing(target, overwrite=overwrite)
    with clock_of("converting") as clock:
        vectors = load_vectors(source)
        clock.stage(f"writing {len(vectors):,} words")
        vectors.save(target, to, dtype=dtype)
    result: dict[str, Any] = {
        "target": str(target),
        "words": len(vectors),
        "vector_size": vectors.vector_size,
    }
    line = f"{len(vectors):,} words, {vectors.vector_size} dimensions: {target}"
    if dtype != "float32":
        loss = storage_loss(vectors.vectors, dtype)
        result |= {"dtype": dtype, "bytes": target.stat().st_size, **loss._asdict()}
        line += (
            f"\n{dtype}: {result['bytes']:,} bytes; mean cosine with the original "
            f"{loss.mean_cosine:.6f}, {loss.neighbors_kept_rate:.1%} of the 10 nearest words kept"
        )
    if as_json:
        print_json(result)
    else:
        say(line)
