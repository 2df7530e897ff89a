"""``foretext search INDEX [QUERY...]``."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from foretext.base.terminal import say
from foretext.cli.completion import complete_run
from foretext.cli.shared import AsJsonLines, print_json, read_texts
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.search import Hit, Results

__all__ = ["search"]

TOGETHER = 256  # queries that are searched together
MOST_CHARACTERS = 600  # of a passage that are shown
WIDEST = 100  # columns that are easy to read


def search(
    index: Annotated[
        Path,
        typer.Argument(
            metavar="INDEX", help="A folder of `foretext index`.", autocompletion=complete_run
        ),
    ],
    queries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY",
            help="What to search for; none: lines of standard input, or of the terminal.",
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, help="Passages a query.")] = 10,
    by: Annotated[
        Literal["vectors", "words", "both"],
        typer.Option(
            help="vectors: by meaning; words: by BM25, better for names and numbers; both: ranks "
            "of the two together."
        ),
    ] = "vectors",
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="A query a line.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="The model, for an index without a copy of it."),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Compare all vectors, though there is a graph of neighbours."),
    ] = False,
    k1: Annotated[
        float,
        typer.Option(metavar="X", min=0.0, help="BM25: how much repeated words of a passage add."),
    ] = 1.2,
    b: Annotated[
        float,
        typer.Option(metavar="X", min=0.0, max=1.0, help="BM25: how much long passages lose."),
    ] = 0.75,
    as_json: AsJsonLines = False,
) -> None:
    """Find the passages of an index that answer a query."""
    from foretext.artifact import load
    from foretext.search import SearchIndex
    from foretext.search.bm25 import BM25

    opened = load(index, SearchIndex)
    if model is not None:
        opened.use_model(model)
    if by != "words" and not exact and opened.has_graph and not opened.is_approximate:
        say(
            f"foretext: {message('terminal.search.no_graph')}",
            error=True,
        )
    settings = BM25(k1=k1, b=b)
    show = _print_json if as_json else _show
    for some in _together(_queries(queries or [], file)):
        for found in opened.search(some, k, by=by, exact=exact, bm25=settings):
            show(found)


def _print_json(found: Results) -> None:
    """Print what was found for a query as one line of JSON."""
    print_json(found.as_dict())


def _queries(given: list[str], file: str | None) -> Iterator[str | None]:
    """Yield the queries; None where the ones before are to be answered at once."""
    yield from given
    if file is not None:
        yield from (line for line in read_texts(file) if line.strip())
    elif not given:
        is_person = sys.stdin is not None and sys.stdin.isatty()
        yield from _typed() if is_person else (line for line in read_texts("-") if line.strip())


def _typed() -> Iterator[str | None]:
    """Yield what a person types, until an empty line or the end of input."""
    while True:
        say(message("terminal.search.query"), end=" ", error=True)
        line = sys.stdin.readline()
        if not line.strip():
            return
        yield line.strip()
        yield None


def _together(queries: Iterable[str | None]) -> Iterator[list[str]]:
    held: list[str] = []
    for query in queries:
        if query is not None:
            held.append(query)
        if held and (query is None or len(held) == TOGETHER):
            yield held
            held = []
    if held:
        yield held


def _show(found: Results) -> None:
    """Print what was found for a query, for a person."""
    say(f"{found.query}\n")
    for note in found.notes:
        say(f"  {message('terminal.note', said=note)}\n")
    for rank, hit in enumerate(found, 1):
        say(f"  {rank}. {hit.score:.4f}  {_places(hit)}")
        say(textwrap.indent(_passage(hit.text), " " * 5) + "\n")


def _places(hit: Hit) -> str:
    if not hit.others:
        return str(hit.place)
    return message("terminal.search.more", place=hit.place, number=len(hit.others))


def _passage(text: str) -> str:
    """Return a passage as it is shown: its lines wrapped, a long one cut."""
    shown = text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} ..."
    width = min(shutil.get_terminal_size().columns, WIDEST) - 5
    return "\n".join(textwrap.fill(line, width) for line in shown.split("\n"))
