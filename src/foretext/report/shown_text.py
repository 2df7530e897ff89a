"""What is shown, as text for a terminal: tokens in columns that wrap, tables, small grids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from foretext.base.terminal import visible
from foretext.messages import in_language, message
from foretext.report.page import cell
from foretext.report.showing import column_blocks
from foretext.report.text_columns import padded
from foretext.shown import Grid, Grids, Mark, Note, Part, Table, TokenLine, TokenLines

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, RenderableType

    from foretext.report.showing import Showing

__all__ = ["print_showing"]

MARK_STYLES = ("bold magenta", "bold yellow", "bold cyan", "bold green", "bold red", "bold blue")
LABEL, FAINT, TITLE = "dim", "dim", "bold"
GAP = "  "  # between columns
LONGEST_LABEL = 24  # cells
LONGEST_TOKEN = 24
MOST_ROWS = 40  # of a table
ON, OFF = "■", "·"
SPECIAL = "special"


def print_showing(showing: Showing, console: Console) -> None:
    """Write everything to a console; no text of the user steers it."""
    with in_language(showing.language):
        console.print(Text(visible(showing.title), style=TITLE))
        for shown in showing.shown:
            console.print()
            console.rule(Text(visible(shown.title), style=TITLE), align="left", characters="─")
            before: Part | None = None
            for part in shown.parts:
                if _is_apart(before, part):
                    console.print()
                for drawn in _drawn(part, console.width):
                    console.print(drawn, soft_wrap=False)
                before = part


def _is_apart(before: Part | None, part: Part) -> bool:
    """Whether an empty line is needed: before a note that follows what is no note."""
    match before, part:
        case (None | Note(), _):
            return False
        case (_, Note()):
            return True
    return False


def _drawn(part: Part, width: int) -> Iterator[RenderableType]:
    match part:
        case Note():
            yield Text(visible(part.text))
        case TokenLines():
            yield from _of_lines(part, width)
        case Table():
            yield from _of_table(part)
        case Grid():
            yield from _of_grid(part, width)
        case Grids():
            yield Text(
                f"{visible(part.title)}: {message('show.grids', number=len(part.names))}", FAINT
            )


def _heading(title: str) -> Iterator[Text]:
    if title:
        yield Text("")
        yield Text(visible(title), style="underline")


def _of_lines(part: TokenLines, width: int) -> Iterator[Text]:
    """Draw lines in common columns, as many side by side as find room, with marks below."""
    yield from _heading(part.title)
    legend = part.legend
    styles = _styles(legend)
    rows = [row for line in part.lines for row in _rows(line, legend)]
    label_width = max((cell_len(label) for label, _, _ in rows), default=0)
    widths = _widths(rows)
    room = width - label_width - len(GAP)
    for start, end in column_blocks([len(GAP) + each for each in widths], room):
        if start:
            yield Text("")
        for label, tokens, marks in rows:
            if not any(tokens[start:end]):
                continue
            text = Text(padded(label, label_width), style=LABEL)
            for column in range(start, min(end, len(tokens))):
                mark = marks[column] if column < len(marks) else ""
                text.append(GAP)
                text.append(padded(tokens[column], widths[column]), style=styles.get(mark, ""))
            text.rstrip()
            yield text
    for mark, meant in legend.items():
        if meant.meaning:
            yield (
                Text("  ")
                .append(visible(meant.name), styles[mark])
                .append(message("terminal.legend", said=visible(meant.meaning)), FAINT)
            )


def _rows(line: TokenLine, legend: dict[str, Mark]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield a line as label, tokens and marks; below it the names of its marks, for no colour."""
    tokens = [_short(token, LONGEST_TOKEN) for token in line.tokens]
    yield _short(line.label, LONGEST_LABEL), tokens, list(line.marks)
    named = [mark for mark in line.marks if mark and mark != SPECIAL]
    if named:
        marks = ["" if mark == SPECIAL else mark for mark in line.marks]
        yield "", [visible(legend[mark].name) if mark else "" for mark in marks], marks


def _widths(rows: Sequence[tuple[str, list[str], list[str]]]) -> list[int]:
    """Return the width of each column."""
    columns = zip_longest(*(tokens for _, tokens, _ in rows), fillvalue="")
    return [max(map(cell_len, tokens)) for tokens in columns]


def _styles(legend: dict[str, Mark]) -> dict[str, str]:
    """Return a style for each mark; special tokens are faint, the others have colours."""
    colored = [mark for mark in legend if mark != SPECIAL]
    styles = {mark: MARK_STYLES[at % len(MARK_STYLES)] for at, mark in enumerate(colored)}
    return {**styles, SPECIAL: FAINT}


def _of_table(part: Table) -> Iterator[RenderableType]:
    yield from _heading(part.title)
    table = RichTable(box=None, pad_edge=False)
    for index, column in enumerate(part.columns):
        justify: JustifyMethod = "right" if part.is_numeric(index) and part.rows else "left"
        table.add_column(Text(visible(column), style=LABEL), justify=justify)
    for row in part.rows[:MOST_ROWS]:
        table.add_row(*(Text("" if value is None else visible(cell(value))) for value in row))
    yield table
    if len(part.rows) > MOST_ROWS:
        yield Text(message("show.cut_rows", shown=MOST_ROWS, all=len(part.rows)), style=FAINT)


def _of_grid(part: Grid, width: int) -> Iterator[Text]:
    """Draw a grid with numbers over its columns; rows have numbers too, where both are the same."""
    yield from _heading(part.title)
    same = part.rows[: len(part.columns)] == part.columns
    labels = [
        _short(f"{at} {label}" if same else label, LONGEST_LABEL)
        for at, label in enumerate(part.rows)
    ]
    label_width = max(map(cell_len, labels), default=0)
    cells = [[_grid_cell(value, is_mask=part.is_mask) for value in row] for row in part.values]
    cell_width = max((len(each) for row in cells for each in row), default=1)
    room = max((width - label_width - 1) // (cell_width + 1), 1)
    number = min(room, len(part.columns))
    for digits in _column_numbers(number, cell_width):
        yield Text(f"{' ' * label_width} {digits}", style=FAINT)
    for label, row in zip(labels, cells, strict=True):
        text = Text(padded(label, label_width), style=LABEL)
        for value in row[:number]:
            text.append(f" {value:>{cell_width}}", "cyan" if value == ON else "")
        yield text
    if number < len(part.columns):
        yield Text(message("show.cut", shown=number, all=len(part.columns)), style=FAINT)
    if not same:
        names = (_short(name, LONGEST_LABEL) for name in part.columns)
        named = ", ".join(f"{at} {name}" for at, name in enumerate(names))
        yield Text(f"{message('show.columns')}: {named}", style=FAINT)


def _column_numbers(number: int, width: int) -> list[str]:
    """Return the numbers over columns; where these are narrow, with one digit above the other."""
    digits = len(str(number - 1))
    if digits <= width:
        return [" ".join(f"{at:>{width}}" for at in range(number))]
    padded = [f"{at:>{digits}}" for at in range(number)]
    return [" ".join(f"{each[column]:>{width}}" for each in padded) for column in range(digits)]


def _grid_cell(value: float | None, *, is_mask: bool) -> str:
    if value is None:
        return ""
    if is_mask:
        return ON if value else OFF
    return f"{value:.2f}".removeprefix("0") if -1 <= value <= 1 else f"{value:.1f}"


def _short(text: str, most: int) -> str:
    """Return a text in few cells, without anything that steers a terminal."""
    text = visible(text).replace("\n", "⏎").replace("\t", "⇥")
    if cell_len(text) <= most:
        return text
    text = text[:most]  # a text may be long, and a character is at most two cells
    while cell_len(text) > most - 1:
        text = text[:-1]
    return f"{text}…"
