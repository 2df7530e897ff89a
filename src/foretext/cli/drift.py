"""``foretext drift RUN_A RUN_B``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.base.terminal import say
from foretext.cli.shared import (
    AsJson,
    print_json,
    print_table,
    titles,
)
from foretext.messages import message

__all__ = ["drift"]

_SHOWN_NEIGHBORS = 5


def drift(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="A run or vector file.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="That of another corpus.")],
    num_words: Annotated[
        int, typer.Option("--top", "-n", metavar="N", min=1, help="Words to show.")
    ] = 20,
    topn: Annotated[
        int,
        typer.Option("--neighbors", metavar="N", min=1, help="Neighbours of each word to compare."),
    ] = 10,
    min_count: Annotated[
        int, typer.Option(metavar="N", min=1, help="Occurrences a word must have in both.")
    ] = 1,
    restrict_vocab: Annotated[
        int, typer.Option(metavar="N", min=1, help="Compare the most frequent words only.")
    ] = 30_000,
    as_json: AsJson = False,
) -> None:
    """Show the words whose neighbours differ most between two runs."""
    from foretext.artifact import load_vectors
    from foretext.vectors.drift import measure_drift

    found = measure_drift(
        load_vectors(first),
        load_vectors(second),
        topn=topn,
        min_count=min_count,
        restrict_vocab=restrict_vocab,
    )
    changed = found.most_changed(num_words)
    if as_json:
        print_json(
            {
                "words": len(found.words),
                "mean_change": float(found.change.mean()),
                "mean_cosine": float(found.cosine.mean()),
                "residual": found.residual,
                "changed": [word._asdict() for word in changed],
            }
        )
        return
    rows = [
        (word.word, word.change, word.cosine, _few(word.before), _few(word.after))
        for word in changed
    ]
    columns = titles("tables.word", "tables.change", "tables.cosine")
    columns += [message("tables.in_run", run=run) for run in (first, second)]
    print_table(columns, rows)
    said = message(
        "terminal.drift",
        words=len(found.words),
        change=float(found.change.mean()),
        cosine=float(found.cosine.mean()),
        residual=found.residual,
    )
    say(f"\n{said}")


def _few(words: list[str]) -> str:
    return " ".join(words[:_SHOWN_NEIGHBORS])
