"""``foretext align RUN REFERENCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.base.counted import counted
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, Overwrite, RunArgument, print_json

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
            f"{counted(len(aligned.vectors), 'word')}, aligned by {len(aligned.words):,} in common "
            f"with a residual of {aligned.residual:.3f}: {target}"
        )
