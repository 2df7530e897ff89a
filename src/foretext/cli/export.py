"""``foretext export RUN -o DIR --to onnx``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from foretext.base.terminal import say
from foretext.cli.shared import AsJson, ModelArgument, Overwrite, Quiet, print_json

__all__ = ["export"]


def export(
    run: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to write.")
    ],
    to: Annotated[
        Literal["onnx", "onnx-int8", "openvino", "static"],
        typer.Option(
            help="The format: ONNX in float32 or with weights of 8 bits, OpenVINO, or static: "
            "vectors of tokens, for model2vec and ONNX Runtime."
        ),
    ] = "onnx",
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
    say(found.sentence())
    say(f"{found.bytes:,} bytes: {output}")
