"""``foretext index MODEL TEXTS... -o INDEX``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foretext.base.counted import number_of
from foretext.base.terminal import say
from foretext.cli.shared import (
    AsJson,
    Column,
    Encoding,
    Overwrite,
    Quiet,
    RunArgument,
    given_options,
    print_json,
)
from foretext.messages import commas, message

__all__ = ["index"]


def index(
    model: RunArgument,
    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXTS", help="Files, folders, globs or URLs of texts; - for stdin."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="INDEX", help="The folder of the index.")
    ],
    length: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Tokens of a passage (words for word vectors), at most; by default as many as the "
            "model reads, but 256 at most, and 200 words.",
        ),
    ] = None,
    overlap: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Tokens that a passage may share with the one before it, in whole sentences.",
        ),
    ] = None,
    keep_duplicates: Annotated[
        bool,
        typer.Option(
            "--keep-duplicates",
            help="Keep a text that comes several times as several passages, not as one with all "
            "its places.",
        ),
    ] = False,
    dtype: Annotated[
        Literal["float32", "float16", "int8"] | None,
        typer.Option(help="Stored numbers; float16 takes half of the bytes, int8 a quarter."),
    ] = None,
    weighting: Annotated[
        Literal["mean", "sif", "idf"] | None,
        typer.Option(help="Word vectors: weights of words in the mean; by default idf, by rarity."),
    ] = None,
    pooling: Annotated[
        Literal["mean", "cls", "max"] | None,
        typer.Option(help="Language model: over the positions; by default the model's own."),
    ] = None,
    layer: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            help="Language model: -1 is the last layer (default); given more than once, the mean "
            "of the layers.",
        ),
    ] = None,
    approximate: Annotated[
        bool | None,
        typer.Option(
            help="Build a graph of neighbours with usearch; by default from 100,000 passages on."
        ),
    ] = None,
    keep_model: Annotated[
        bool,
        typer.Option(help="Keep a copy of the model in the index, so that it needs nothing else."),
    ] = True,
    documents: Annotated[
        Literal["line", "blank_line", "blank_lines", "file"] | None,
        typer.Option(help="Text files: where documents end; by default the text decides."),
    ] = None,
    encoding: Encoding = None,
    column: Column = None,
    add: Annotated[
        bool,
        typer.Option(
            "--add", help="Add the files that the index does not have yet; no other is read again."
        ),
    ] = False,
    overwrite: Overwrite = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an indexing that was stopped.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make an index of texts that can be searched."""
    from foretext.search.index import index as make_index

    settings = given_options(
        length=length, overlap=overlap, dtype=dtype, weighting=weighting, pooling=pooling,
        layers=tuple(layer) if layer else None, approximate=approximate,
    )  # fmt: skip
    if keep_duplicates:
        settings["keep_duplicates"] = True
    if not keep_model:
        settings["keep_model"] = False
    made = make_index(
        model,
        texts,
        output,
        text=given_options(documents=documents, encoding=encoding, column=column),
        settings=settings,
        add=add,
        overwrite=overwrite,
        resume=resume,
        quiet=quiet,
    )
    result: dict[str, Any] = {"index": str(output), **made.size, "places": made.facts.places}
    if empty := made.num_empty:
        result["without_vector"] = empty
    if made.is_approximate:
        result["graph_recall"] = made.graph_recall()
    print_json(result) if as_json else _show(result)


def _show(result: dict[str, Any]) -> None:
    from foretext.vectors.empty_texts import empty_doubt

    repeated = result["places"] - result["passages"]
    passages = number_of("passage", result["passages"])
    made = [message("terminal.index.passages", passages=passages, files=_files(result))]
    made += [message("terminal.index.again", number=repeated)] if repeated else []
    say(message("terminal.made", what=commas(made), path=result["index"]))
    if doubt := empty_doubt(result.get("without_vector", 0), result["passages"], "passages"):
        say(message("terminal.doubt.found_by_words", doubt=doubt), error=True)
    if "graph_recall" in result:
        say(message("terminal.index.recall", rate=result["graph_recall"]))


def _files(result: dict[str, Any]) -> str:
    return number_of("file", result["files"])
