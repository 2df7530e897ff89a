"""``foretext neighbors RUN WORD...``."""

from __future__ import annotations

from typing import Annotated

import typer

from foretext.cli.shared import AsJson, RunArgument, print_json, print_table

__all__ = ["neighbors"]


def neighbors(
    run: RunArgument,
    words: Annotated[list[str], typer.Argument(metavar="WORD...", help="Words to look around.")],
    topn: Annotated[int, typer.Option("--top", "-n", min=1, help="Neighbours a word.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show the nearest words of each word, by cosine."""
    from foretext.artifact import load

    found = load(run).neighbors(words, topn)
    if as_json:
        print_json({word: dict(near) for word, near in zip(words, found, strict=True)})
        return
    for word, near in zip(words, found, strict=True):
        print_table([word, "cosine"], near)
