"""Options of the verbs that read text."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Auto"]

Auto = Annotated[
    bool,
    typer.Option("--auto", help="Read the text with the settings that `inspect` proposes for it."),
]
