"""``foretext report RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.shared import AsJson, print_json
from foretext.messages import chosen_language, message

__all__ = ["report"]


def report(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="The folder of a run or comparison.", autocompletion=complete_run
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Write the page of a run or comparison again.

    With --lang the card of a run, or of a comparison's best model, README.md, is also written
    again; for a language model this reads the weights.
    """
    from foretext.report.run_cards import rewrite_card
    from foretext.report.run_report import report_folder

    path = report_folder(run)
    if not as_json:  # before the card, which may be refused
        say(message("terminal.page", path=path))
    found = rewrite_card(run) if chosen_language() is not None else None
    card, written = found or (None, False)
    if found and not written:
        say(message("terminal.note", said=message("terminal.changed_card", path=card)), error=True)
    if as_json:
        print_json({"report": str(path), "card": str(card) if written else None})
    elif written:
        say(message("terminal.card", path=card))
