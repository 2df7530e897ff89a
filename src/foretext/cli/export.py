"""``foretext export RUN -o DIR --to onnx``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from foretext.base.counted import counted
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, ModelArgument, Overwrite, Quiet, print_json

__all__ = ["export"]


def export(
    run: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
    ],
    to: Annotated[
        Literal["static"],
        typer.Option(help="The format; static: vectors of tokens, for model2vec and ONNX Runtime."),
    ],
    texts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Texts to compare the copy by; by default those that RUN has learned from, where "
            "they are still there.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write a model for other programs, compared with the original."""
    from foretext.exporting.export import export as exported

    found = exported(run, output, to, texts=texts, overwrite=overwrite, quiet=quiet or None)
    if as_json:
        print_json(found.record())
        return
    parity = found.parity
    say(
        f"{counted(parity.texts, 'text')} compared: equal ids, largest difference "
        f"{parity.difference:.2g}, smallest cosine {parity.cosine:.6f}"
    )
    say(f"{found.bytes:,} bytes: {output}")
