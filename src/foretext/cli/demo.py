"""``foretext demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import (
    AsJson,
    Overwrite,
    Quiet,
    print_json,
    print_table,
    titles,
)
from foretext.messages import commas, message

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
                "few": {"run": str(made.few), **_few(made.few_facts)},
            }
        )
        return
    rows = [(word, ", ".join(other for other, _ in found)) for word, found in near.items()]
    print_table(titles("tables.word", "tables.nearest_words"), rows)
    words = number_of("word", len(made.vectors))
    say(f"\n{message('terminal.demo.learned', words=words, path=made.run)}")
    say(message("terminal.demo.look", path=made.report))
    say(message("terminal.demo.others", run=shlex.quote(str(made.run))))
    known = {"labels": commas(made.figures["labels"]), "rate": made.figures["accuracy"]}
    say(f"\n{message('terminal.demo.classifier', **known)}")
    say(message("terminal.demo.ask", run=shlex.quote(str(made.classifier))))
    say(f"\n{message('terminal.demo.few', **_few(made.few_facts))}")
    say(message("terminal.demo.own"))


def _few(facts: dict[str, Any]) -> dict[str, Any]:
    """Return what a few labels gave, beside a linear model."""
    scores = [each["test"]["accuracy"] for each in (facts, facts["baseline"])]
    return {"labels": facts["rows"], "accuracy": scores[0], "linear": scores[1]}
