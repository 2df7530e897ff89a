"""Options of the verbs that learn from labelled rows: their files, and what their columns mean."""

from __future__ import annotations

from typing import Annotated, Any

import typer

__all__ = [
    "Label",
    "LengthPenalty",
    "MaxNewTokens",
    "Negative",
    "NoRepeatNgramSize",
    "NumBeams",
    "Reading",
    "Score",
    "Seed",
    "Source",
    "Tag",
    "Target",
    "TargetColumn",
    "Temperature",
    "TestTarget",
    "Text",
    "TextA",
    "TextB",
    "Token",
    "TopP",
    "ValidTarget",
]

Target = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|COLUMN",
        help="text_to_text: the file with the target of each line of TRAIN; of a table, the "
        "target's column.",
    ),
]
ValidTarget = Annotated[str | None, typer.Option(metavar="FILE", help="The same for --valid.")]
TestTarget = Annotated[str | None, typer.Option(metavar="FILE", help="The same for --test.")]
Reading = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="rows.NAME=VALUE",
        help="Change how rows are read, such as rows.separator; `foretext list --settings` shows "
        "the settings.",
    ),
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


def _column(text: str) -> Any:
    return typer.Option(metavar="COLUMN", help=text)


Text = Annotated[str | None, _column("The text's column, where a row has one text.")]
Label = Annotated[str | None, _column("The label's column.")]
TextA = Annotated[str | None, _column("Pairs: the first text's column.")]
TextB = Annotated[str | None, _column("Pairs: the second text's column.")]
Negative = Annotated[
    str | None, _column("sentence_vectors: the column of a text unlike the first one.")
]
Score = Annotated[str | None, _column("Pairs: the column of a number, in place of a label.")]
Source = Annotated[str | None, _column("text_to_text: the source's column.")]
TargetColumn = Annotated[
    str | None, _column("text_to_text: the target's column, which is not read.")
]
Token = Annotated[str | None, _column("Tagging: the token's column, from 1.")]
Tag = Annotated[str | None, _column("Tagging: the tag's column, or last.")]
