"""Options that several verbs have, and how results are printed."""

from __future__ import annotations

import json
import math
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Annotated, Any, BinaryIO, cast

import typer

from foretext.base.errors import CorpusError, SettingError
from foretext.base.terminal import say, standard_input, visible
from foretext.cli.completion import complete_run

__all__ = [
    "AsJson",
    "AsJsonLines",
    "ModelArgument",
    "Overwrite",
    "Quiet",
    "RunArgument",
    "given_options",
    "print_definitions",
    "print_json",
    "print_table",
    "read_texts",
    "refuse_options",
]

WIDEST = 100  # columns that are easy to read

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")]
AsJsonLines = Annotated[
    bool, typer.Option("--json", help="Print a JSON document for each input, on a line of its own.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")]
RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A run's folder, or a vector file of any format.",
        autocompletion=complete_run,
    ),
]

ModelArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A run's folder, or a Hugging Face model's.",
        autocompletion=complete_run,
    ),
]


def print_json(value: Any) -> None:
    """Print one value as JSON, in one line, letters as they are; what is no number is null."""
    say(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """Print a table; numbers stand to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = [list(row) for row in rows]
    shown_title = Text(visible(title), "table.title") if title else None
    table = Table(title=shown_title, title_justify="left", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = all(isinstance(row[index], int | float) for row in rows)
        table.add_column(Text(visible(column)), justify="right" if numeric and rows else "left")
    for row in rows:
        table.add_row(*(Text(visible(_shown(cell))) for cell in row))
    Console(soft_wrap=False).print(table)


def print_definitions(definitions: Iterable[tuple[str, str]]) -> None:
    """Print terms, and what they mean beside them, as `--help` does."""
    definitions = [(visible(term), visible(meaning)) for term, meaning in definitions]
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indent = 2 + min(max((len(term) for term, _ in definitions), default=0), width // 2) + 2
    for term, meaning in definitions:
        lines = textwrap.wrap(meaning, width - indent)
        first = f"  {term:{indent - 2}}"
        if len(first) > indent:  # the term needs a line of its own
            say(first)
            first = " " * indent
        say("\n".join([first + lines[0], *(" " * indent + line for line in lines[1:])]))


def read_texts(source: str) -> Iterator[str]:
    """Yield the lines of a file, packed or not, or of standard input for ``-``.

    Raises:
        CorpusError: there is no such file, it is damaged, or it is not UTF-8.
    """
    with _opened(source) as stream:
        lines = iter(stream) if source == "-" else _lines_of(stream, source)
        for number, line in enumerate(lines, 1):
            try:
                yield line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise CorpusError(
                    f"{source}, line {number}: this is not UTF-8 ({error.reason}); "
                    "convert the file first."
                ) from None


def _lines_of(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield the lines of a file as corpora have them, whatever ends them."""
    from foretext.corpus.compression import unpacked
    from foretext.corpus.decoding import split_lines, with_line_feeds

    chunks = (piece.decode("latin-1") for piece in unpacked(cast(BinaryIO, file), name))
    for line in split_lines(with_line_feeds(chunks), name):
        yield line.encode("latin-1")


def given_options(**options: Any) -> dict[str, Any]:
    """Return the options that were given, for verbs whose options depend on what is opened."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_options(run: Path, kind: str, options: Iterable[str]) -> None:
    """Refuse options that have no effect on what a run holds.

    Raises:
        SettingError: there is one.
    """
    for name in options:
        raise SettingError(
            f"--{name.replace('_', '-')} has no effect: {run} holds {kind}; leave it out."
        )


def _opened(source: str) -> AbstractContextManager[IO[bytes]]:
    if source == "-":
        return nullcontext(standard_input())
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise CorpusError(f"{source} cannot be read: {error.strerror}.") from error


def _finite(value: Any) -> Any:
    """Return the value with null for the floats that JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


def _shown(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
