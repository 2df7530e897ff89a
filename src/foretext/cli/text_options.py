"""Options of the verbs that read text."""

from __future__ import annotations

import json
from typing import Annotated

import typer

__all__ = ["Auto", "Column", "Encoding", "Entities", "hiding", "reading"]

Auto = Annotated[
    bool,
    typer.Option("--auto", help="Read the text with the settings that `inspect` proposes for it."),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Encoding of the text, if it is not UTF-8."),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="COLUMN",
        help="The column with the text, of csv, tsv, jsonl or parquet.",
    ),
]
Entities = Annotated[
    str | None,
    typer.Option(
        "--entities",
        metavar="FILE",
        help="Names that masks hide as a whole, one on each line (see `ernie`).",
    ),
]


def reading(encoding: str | None, column: str | None) -> list[str]:
    """Return the options of a command as settings of the section corpus."""
    given = {"encoding": encoding, "column": column}
    return [f'corpus.{name}="{value}"' for name, value in given.items() if value is not None]


def hiding(entities: str | None) -> list[str]:
    """Return the option of a list of entities as a setting of the section objective."""
    return [] if entities is None else [f"objective.entities={json.dumps(entities)}"]
