"""``foretext suggest RUN TEXTS -o FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.row_options import Reading, Text, TextA, TextB
from foretext.cli.shared import AsJson, Encoding, Overwrite, Quiet, given_options, print_json
from foretext.messages import commas, message, translated
from foretext.tasks.named_columns import reading_options

__all__ = ["suggest"]


def suggest(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            autocompletion=complete_run,
            help="The model that shall become better; where nothing is labelled yet, a run or a "
            "file that gives vectors of texts.",
        ),
    ],
    texts: Annotated[
        str,
        typer.Argument(
            metavar="TEXTS",
            help="A file with a text a line, a table or JSON with a column of texts; - reads "
            "standard input.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The file to label the texts in."),
    ],
    number: Annotated[
        int, typer.Option("--number", "-n", metavar="N", min=1, help="Texts to suggest.")
    ] = 50,
    by: Annotated[
        Literal["uncertainty", "coverage", "both"] | None,
        typer.Option(
            help="The least sure answers; texts that stand for many others; or the unsure ones "
            "that differ most from each other. By default both, or coverage where RUN answers no "
            "labels."
        ),
    ] = None,
    measure: Annotated[
        Literal["margin", "entropy"],
        typer.Option(
            help="Of uncertainty: the lead of the best label over the second, or the entropy."
        ),
    ] = "margin",
    spread: Annotated[
        Literal["clusters", "k-center"],
        typer.Option(
            help="How texts cover all: next to the centres of clusters, or each the farthest from "
            "those before it, which finds the strange ones."
        ),
    ] = "clusters",
    format: Annotated[
        Literal["csv", "tsv", "jsonl", "label-studio", "doccano", "prodigy", "conllu", "docbin"]
        | None,
        typer.Option(
            help="Of FILE; by default csv for .csv, tsv (a tagged token a line) for .tsv, jsonl "
            "for .jsonl, label-studio for .json, conllu for .conllu, docbin for .spacy."
        ),
    ] = None,
    embedder: Annotated[
        Path | None,
        typer.Option(
            "--with",
            metavar="PATH",
            autocompletion=complete_run,
            help="A run or file whose vectors say which texts are alike; by default RUN's own, or "
            "the words of the texts.",
        ),
    ] = None,
    labelled: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Rows that are labelled already: left out, and covered."),
    ] = None,
    text: Text = None,
    text_a: TextA = None,
    text_b: TextB = None,
    encoding: Encoding = None,
    settings: Reading = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Of the first centres of clusters.")
    ] = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Choose the texts that are most worth labelling next.

    FILE opens in Label Studio, doccano, Prodigy or a spreadsheet, with the answers of RUN; what is
    exported there is a file of rows for finetune.
    """
    from foretext.suggestion import suggest as chosen_texts

    columns = given_options(text=text, text_a=text_a, text_b=text_b)
    found = chosen_texts(
        run,
        texts,
        number,
        by=by,
        measure=measure,
        spread=spread,
        embedder=embedder,
        labelled=labelled,
        columns={name: int(each) if each.isdecimal() else each for name, each in columns.items()},
        rows=reading_options(settings or [], encoding),
        seed=seed,
        out=output,
        format=format,
        overwrite=overwrite,
        quiet=True if quiet else None,
        doubt=lambda sentence: say(f"foretext: {sentence}.", error=True),
    )
    result = {"output": str(output), **found.summary()}
    print_json(result) if as_json else _show(result)


def _show(result: dict[str, Any]) -> None:
    names = ("repeated", "empty", "labelled")
    left_out = [_said(name, number=result[name]) for name in names if result[name]]
    texts = number_of("text", result["suggested"])
    parts = [_said("texts", texts=texts, total=result["texts"])]
    parts += [_said("without", left_out=commas(left_out))] if left_out else []
    parts.append(_said(f"by.{result['by']}"))
    parts += [_said("vectors", model=translated(result["vectors"]))] if "vectors" in result else []
    say(commas(parts))
    say(_said("next", path=result["output"]))


def _said(name: str, **values: object) -> str:
    return message(f"terminal.suggest.{name}", **values)
