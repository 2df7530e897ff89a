"""``foretext demo``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

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
                "few": {"run": str(made.few), **_few(made.few_facts)},
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
    few = _few(made.few_facts)
    say(
        f"\nWith {few['labels']} labels, and the other texts without: {few['accuracy']:.1%} right; "
        f"a linear model of the same labels: {few['linear']:.1%}."
    )
    say("With your rows and texts:   foretext finetune classification auto ROWS --unlabelled TEXTS")


def _few(facts: dict[str, Any]) -> dict[str, Any]:
    """Return what a few labels gave, beside a linear model."""
    scores = [each["test"]["accuracy"] for each in (facts, facts["baseline"])]
    return {"labels": facts["rows"], "accuracy": scores[0], "linear": scores[1]}
