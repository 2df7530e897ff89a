"""``foretext analogy RUN A B C``."""

from __future__ import annotations

from typing import Annotated

import typer

from foretext.cli.shared import AsJson, RunArgument, print_json, print_table
from foretext.messages import message

__all__ = ["analogy"]


def analogy(
    run: RunArgument,
    a: Annotated[str, typer.Argument(metavar="A", help="Such as man.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Such as woman.")],
    c: Annotated[str, typer.Argument(metavar="C", help="Such as son.")],
    topn: Annotated[
        int, typer.Option("--top", "-n", metavar="N", min=1, help="Answers to show.")
    ] = 5,
    as_json: AsJson = False,
) -> None:
    """Answer "A is to B as C is to": the words nearest to B - A + C."""
    from foretext.artifact import load_vectors

    vectors = load_vectors(run)
    answers = vectors.analogy(a, b, c, topn)
    if as_json:
        print_json(dict(answers))
    else:
        a, b, c = map(vectors.spelled, (a, b, c))
        print_table([f"{a} : {b} = {c} :", message("tables.cosine")], answers)
