"""``foretext embed RUN [INPUT|-] -o F.npy``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from foretext.cli.shared import AsJson, Overwrite, RunArgument, print_json, read_texts
from foretext.errors import CorpusError

__all__ = ["embed"]


def embed(
    run: RunArgument,
    texts: Annotated[
        str, typer.Argument(metavar="INPUT", help="A file with a text a line; - reads them here.")
    ] = "-",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .npy or .parquet file to write.")
    ] = None,
    weighting: Annotated[
        Literal["mean", "sif"], typer.Option(help="mean of the words, or weighted by rarity (sif).")
    ] = "mean",
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Turn each line of text into one vector."""
    from foretext.artifact import load
    from foretext.vectors.embedding_file import save_embeddings

    lines = list(read_texts(texts))
    if not lines:
        raise CorpusError(f"{texts} holds no text.")
    vectors = load(run).embed(lines, weighting)
    if output is not None:
        save_embeddings(output, lines, vectors, overwrite=overwrite)
        result = {"texts": len(lines), "output": str(output)}
        print_json(result) if as_json else typer.echo(f"{len(lines):,} texts: {output}")
        return
    for line, vector in zip(lines, vectors, strict=True):
        print_json({"text": line, "vector": [round(float(x), 6) for x in vector]})
