"""``foretext align RUN REFERENCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, Overwrite, RunArgument, print_json
from foretext.messages import message

__all__ = ["align"]


def align(
    run: RunArgument,
    reference: Annotated[
        Path, typer.Argument(metavar="REFERENCE", help="The run or vector file to turn it onto.")
    ],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The vector file to write.")],
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Rotate vectors onto those of another run, to compare words."""
    from foretext.artifact import load_vectors
    from foretext.base.files import refuse_existing
    from foretext.vectors.alignment import align_vectors

    refuse_existing(target, overwrite=overwrite)
    aligned = align_vectors(load_vectors(run), load_vectors(reference))
    aligned.vectors.save(target)
    result = {
        "target": str(target),
        "words": len(aligned.vectors),
        "common_words": len(aligned.words),
        "residual": aligned.residual,
    }
    if as_json:
        print_json(result)
    else:
        say(
            message(
                "terminal.align",
                words=number_of("word", len(aligned.vectors)),
                common=len(aligned.words),
                residual=aligned.residual,
                path=target,
            )
        )
