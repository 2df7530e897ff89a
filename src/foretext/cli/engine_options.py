"""Options that say who does the work on shards of a text."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

__all__ = ["Address", "Engine", "InspectingWorkers", "TextWorkers", "Workers"]

Engine = Annotated[
    Literal["local", "ray"],
    typer.Option(help="Who does the work: processes of this machine, or a Ray cluster."),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of the Ray cluster: auto, HOST:PORT, ray://HOST:PORT, or local to start one here; by "
        "default auto.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Processes; by default as many as there are cores. Results are the same.",
    ),
]
InspectingWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes that look at the text; by default this one does. Results are the same.",
    ),
]
TextWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes that count words, encode the text and count the pairs of GloVe, by shards "
        "that stay after a kill; by default threads do. Results are the same.",
    ),
]
