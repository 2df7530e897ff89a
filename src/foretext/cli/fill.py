"""``foretext fill RUN TEXT``."""

from __future__ import annotations

from typing import Annotated

import typer

from foretext.cli.shared import (
    AsJson,
    ModelArgument,
    print_json,
    print_table,
    titles,
)
from foretext.messages import message

__all__ = ["fill"]


def fill(
    run: ModelArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A text with [MASK] in it.")],
    topn: Annotated[
        int, typer.Option("--top", "-n", metavar="N", min=1, help="Answers a mask.")
    ] = 5,
    as_json: AsJson = False,
) -> None:
    """Predict the tokens at [MASK] with a masked language model."""
    from foretext.artifact import load_language_model

    masks = load_language_model(run).fill(text, topn)
    if as_json:
        print_json([[answer._asdict() for answer in answers] for answers in masks])
        return
    columns = titles("tables.token", "tables.probability", "tables.text")
    for number, answers in enumerate(masks, 1):
        title = message("terminal.mask", number=number) if len(masks) > 1 else ""
        print_table(columns, answers, title=title)
