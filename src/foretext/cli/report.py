"""``foretext report RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.shared import AsJson, print_json

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
    """Write the page of a run or comparison again."""
    from foretext.report.run_report import report_folder

    path = report_folder(run)
    if as_json:
        print_json({"report": str(path)})
        return
    say(f"page: {path}")
