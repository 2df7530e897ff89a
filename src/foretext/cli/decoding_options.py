"""Options of verbs that let a trained task write texts."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "LengthPenalty",
    "MaxNewTokens",
    "NoRepeatNgramSize",
    "NumBeams",
    "Seed",
    "Temperature",
    "TopP",
]

NumBeams = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="text_to_text: beams of the search; 1: greedy."),
]
MaxNewTokens = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="text_to_text: tokens of an output, at most.")
]
LengthPenalty = Annotated[
    float | None,
    typer.Option(metavar="X", help="text_to_text: above 1 a beam search prefers long outputs."),
]
NoRepeatNgramSize = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="text_to_text: n-grams that an output has once only."),
]
Temperature = Annotated[
    float | None,
    typer.Option(
        metavar="X", min=0.0, help="text_to_text: draw tokens, not the likeliest text; 1: as is."
    ),
]
TopP = Annotated[
    float | None,
    typer.Option(
        metavar="P",
        min=0.0,
        max=1.0,
        help="text_to_text: draw from the likeliest tokens that have this probability.",
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="text_to_text: of the draws.")]
