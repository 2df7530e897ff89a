"""Options that several verbs have, and how results are printed."""

from __future__ import annotations

import functools
import inspect
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, BinaryIO, Literal, cast

import typer

from foretext.base.errors import CorpusError, SettingError
from foretext.base.registry import trust
from foretext.base.terminal import say, standard_input, visible
from foretext.base.text_lines import text_lines
from foretext.cli.completion import (
    complete_run,
    complete_setting_of_recipe,
    complete_setting_of_task,
)
from foretext.messages import choose_language, language, message, translated

if TYPE_CHECKING:
    from foretext.progress import Progress

__all__ = [
    "Address",
    "AsJson",
    "AsJsonLines",
    "Auto",
    "Column",
    "Encoding",
    "Engine",
    "Entities",
    "InspectingWorkers",
    "Lang",
    "ModelArgument",
    "Overwrite",
    "Quiet",
    "RecipeFile",
    "RecipeSettings",
    "RunArgument",
    "TaskSettings",
    "TextWorkers",
    "Trust",
    "Workers",
    "bar_of",
    "bar_of_lines",
    "clock_of",
    "figure_title",
    "given_options",
    "hiding",
    "print_definitions",
    "print_json",
    "print_table",
    "read_texts",
    "reading",
    "refuse_options",
    "titles",
    "with_common_options",
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

Engine = Annotated[
    Literal["local", "ray"],
    typer.Option(help="Who does the work: processes of this machine, or a Ray cluster."),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of the Ray cluster: auto, HOST:PORT, ray://HOST:PORT, or local to start one here; by "
        "default auto.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Processes; by default as many as there are cores. Results are the same.",
    ),
]
InspectingWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes that look at the text; by default this one does. Results are the same.",
    ),
]
TextWorkers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes that count words, encode the text and count the pairs of GloVe, by shards "
        "that stay after a kill; by default threads do. Results are the same.",
    ),
]

RecipeFile = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="A TOML file whose settings go over the recipe's."
    ),
]


def _setting(completed: Callable[[Any, str], Any]) -> Any:
    """Return the option that changes a setting."""
    return typer.Option(
        "--set",
        metavar="SECTION.NAME=VALUE",
        help="Change one setting; `foretext list --settings` shows them.",
        autocompletion=completed,
    )


RecipeSettings = Annotated[list[str] | None, _setting(complete_setting_of_recipe)]
TaskSettings = Annotated[list[str] | None, _setting(complete_setting_of_task)]

Auto = Annotated[
    bool,
    typer.Option("--auto", help="Read the text with the settings that `inspect` proposes for it."),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Encoding of the text, if it is not UTF-8."),
]
Column = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="COLUMN",
        help="The column with the text, of csv, tsv, jsonl or parquet.",
    ),
]
Entities = Annotated[
    str | None,
    typer.Option(
        "--entities",
        metavar="FILE",
        help="Names that masks hide as a whole, one on each line (see `ernie`).",
    ),
]

FEWEST_SHOWN = 200  # texts; fewer are done at once
BLOCK = 1 << 20  # bytes


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


def titles(*keys: str) -> list[str]:
    """Return the titles of a table's columns by the keys of their messages."""
    return [message(key) if key else "" for key in keys]


def print_definitions(definitions: Iterable[tuple[str, str]]) -> None:
    """Print terms, and what they mean beside them, as `--help` does."""
    definitions = [(visible(term), visible(meaning)) for term, meaning in definitions]
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indent = 2 + min(max((len(term) for term, _ in definitions), default=0), width // 2) + 2
    wrapped = textwrap.wrap if language() == "en" else text_lines
    for term, meaning in definitions:
        lines = wrapped(meaning, width - indent)
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
                    message("files.text.not_utf8", source=source, number=number, cause=error.reason)
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


def figure_title(name: str) -> str:
    """Return what a figure is called in a table: in English by its name in JSON."""
    if language() == "en":
        return name
    from foretext.report.task_card import figure_name

    return figure_name(name)


def refuse_options(run: Path, kind: str, options: Iterable[str]) -> None:
    """Refuse options that have no effect on what a run holds.

    Raises:
        SettingError: there is one.
    """
    for name in options:
        option = f"--{name.replace('_', '-')}"
        raise SettingError(
            message("errors.option.of_kind", option=option, run=run, kind=translated(kind))
        )


def _opened(source: str) -> AbstractContextManager[IO[bytes]]:
    if source == "-":
        return nullcontext(standard_input())
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise CorpusError(
            message("errors.unreadable", name=source, cause=error.strerror)
        ) from error


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


def reading(encoding: str | None, column: str | None) -> list[str]:
    """Return the options of a command as settings of the section corpus."""
    given = {"encoding": encoding, "column": column}
    return [f'corpus.{name}="{value}"' for name, value in given.items() if value is not None]


def hiding(entities: str | None) -> list[str]:
    """Return the option of a list of entities as a setting of the section objective."""
    return [] if entities is None else [f"objective.entities={json.dumps(entities)}"]


def _trust(modules: list[str]) -> None:
    trust(*modules)


Trust = Annotated[
    list[str],
    typer.Option(
        "--trust",
        metavar="MODULE",
        callback=_trust,
        show_default=False,
        help="Let a folder name code of this module, which then runs; may be given more than once.",
    ),
]


Lang = Annotated[
    Literal["en", "zh"] | None,
    typer.Option(
        "--lang",
        callback=choose_language,
        is_eager=True,
        help="Language of pages, cards and findings: en or zh; by default FORETEXT_LANG's, else "
        "the system's.",
    ),
]

EVERYWHERE: dict[str, tuple[Any, Any]] = {"lang": (None, Lang), "trust": ([], Trust)}


def with_common_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options that every verb has, which act before the verb begins."""

    @functools.wraps(verb)
    def command(**options: object) -> None:
        verb(**{name: value for name, value in options.items() if name not in EVERYWHERE})

    signature = inspect.signature(verb, eval_str=True)
    common = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for name, (default, annotation) in EVERYWHERE.items()
    ]
    parameters = [*signature.parameters.values(), *common]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    annotations = {name: annotation for name, (_, annotation) in EVERYWHERE.items()}
    command.__annotations__ = {**verb.__annotations__, **annotations}
    return command


def bar_of(texts: Sequence[str], title: str, *, quiet: bool = False) -> Progress:
    """Return the progress over texts; of a few, which are done at once, it shows nothing."""
    from foretext.progress import Progress

    return Progress(title, len(texts), "texts", quiet=quiet or len(texts) < FEWEST_SHOWN)


def bar_of_lines(source: str, title: str) -> Progress:
    """Return the progress over the lines of a file, or of standard input for ``-``.

    It shows nothing where the answers are on the terminal: they are progress enough.
    """
    from foretext.progress import Progress

    number = _num_lines(Path(source)) if source != "-" else None
    few = number is not None and number < FEWEST_SHOWN
    return Progress(title, number, "lines", quiet=True if few or sys.stdout.isatty() else None)


def clock_of(title: str) -> Progress:
    """Return a progress that shows, on a terminal alone, how long something has taken so far."""
    from foretext.progress import Progress

    return Progress(title, None, "", quiet=None)


def _num_lines(path: Path) -> int | None:
    if not path.is_file():
        return None  # whoever reads it says what is wrong
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(BLOCK), b""))
