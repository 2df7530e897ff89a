"""``foretext demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from foretext.base.counted import counted
from foretext.base.terminal import say
from foretext.cli.shared import AsJson, Overwrite, Quiet, print_json, print_table

__all__ = ["demo"]


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to keep it in.")
    ] = Path("demo"),
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Do the main job on the docstrings of this Python; no download."""
    from foretext.cli.demonstration import demonstrate

    made = demonstrate(output, overwrite=overwrite, quiet=quiet)
    near = dict(zip(made.words, made.vectors.neighbors(made.words, 5), strict=True))
    if as_json:
        print_json(
            {
                "run": str(made.run),
                "report": str(made.report),
                "words": len(made.vectors),
                "neighbors": {word: dict(found) for word, found in near.items()},
                "classifier": str(made.classifier),
                "test": made.figures,
            }
        )
        return
    rows = [(word, ", ".join(other for other, _ in found)) for word, found in near.items()]
    print_table(["word", "nearest words"], rows)
    say(f"\n{counted(len(made.vectors), 'word')} learned: {made.run}")
    say(f"Look at them in a browser:  {made.report}")
    say(f"Ask for others:             foretext neighbors {shlex.quote(str(made.run))} WORD")
    share, labels = made.figures["accuracy"], ", ".join(made.figures["labels"])
    say(f"\nA classifier that begins with them tells {labels} apart: {share:.1%} right.")
    say(f"Ask it:                     foretext predict {shlex.quote(str(made.classifier))} TEXTS")
