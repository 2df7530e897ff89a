"""``foretext predict RUN [INPUT|-]``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foretext.cli.shared import AsJsonLines, print_json, read_texts
from foretext.terminal import say

__all__ = ["predict"]


def predict(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A run of finetune, a task's Hugging Face folder, or fastText's .bin or .ftz.",
        ),
    ],
    texts: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A file with a text a line (pairs: text<TAB>text; questions: "
            "question<TAB>passage; or JSON objects); - reads standard input.",
        ),
    ] = "-",
    k: Annotated[
        int | None,
        typer.Option(
            "-k",
            metavar="N",
            min=1,
            help="Labels or answers a line; 1, or any number where texts have several.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="P", min=0.0, max=1.0, help="Leave out answers less probable than this."
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Answer each line with a trained task.

    Answers are labels, scores, tagged spans, or spans of a passage.
    """
    from foretext.artifact import load_task

    model = load_task(run)
    for record in model.predictions(read_texts(texts), k=k, threshold=threshold):
        if as_json:
            print_json(record)
        else:
            say(model.shown(record))
