"""What `show` returns: examples or a model's inside, for the terminal, as JSON and as a page."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from foretext.base.files import atomic_file, refuse_existing
from foretext.base.terminal import visible
from foretext.messages import Language, in_language, message
from foretext.report.grid_pictures import pictures
from foretext.shown import Grid, Shown, Table, TokenLines

__all__ = ["Showing", "column_blocks"]

TEXT_WIDTH = 100  # columns of `print`
PAGE_WIDTH, MARGIN = 110, 2  # letters side by side on a page, and those between columns


@dataclass(frozen=True)
class Showing:
    """Several things that are shown together, each under a title.

    `print` writes them as text, a notebook draws them, `save` keeps them as a page.

    Attributes:
        subject: what they are of, such as the name of a recipe.
        shown: the things, in order.
        language: of their titles and notes.
        about: the area of messages that says what kind of things they are.
    """

    subject: str
    shown: tuple[Shown, ...]
    language: Language
    about: str = "show"

    @property
    def title(self) -> str:
        """The headline."""
        return self._said("title", recipe=self.subject)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        with in_language(self.language):
            shown = [each.to_json() for each in self.shown]
        return {"subject": self.subject, "language": self.language, "shown": shown}

    def to_html(self) -> str:
        """Return a page that needs no other file, and no network."""
        from foretext.report.page import page_html

        with in_language(self.language):
            html = page_html(
                "shown.html.j2",
                {},
                title=self.title,
                kind=self._said("kind"),
                summary=self._said("summary"),
                shown=self.shown,
                say=message,
                largest=_largest,
                blocks=_blocks,
                numeric=Table.is_numeric,
                pictures=pictures,
            )
        return visible(html)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the page.

        Raises:
            OutputError: the file exists, or cannot be written.
        """
        path = Path(path)
        refuse_existing(path, overwrite=overwrite)
        html = self.to_html()
        with atomic_file(path) as temporary:
            temporary.write_text(html, encoding="utf-8", newline="\n")

    def __str__(self) -> str:
        from rich.console import Console

        from foretext.report.shown_text import print_showing

        with io.StringIO() as text:
            print_showing(self, Console(file=text, width=TEXT_WIDTH, no_color=True))
            lines = text.getvalue().rstrip("\n").split("\n")
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return f"Showing({self.subject!r}, {len(self.shown)} parts; print, save or to_json)"

    def _repr_html_(self) -> str:
        from html import escape

        frame = "width: 100%; height: 32em; border: 0"
        return f'<iframe style="{frame}" srcdoc="{escape(self.to_html())}"></iframe>'

    def _said(self, key: str, **values: Any) -> str:
        with in_language(self.language):
            return message(f"{self.about}.{key}", **values)


def _largest(grid: Grid) -> float:
    """The largest size of a value, by which a page shades a grid."""
    values = (value for row in grid.values for value in row if value is not None)
    return max(map(abs, values), default=0) or 1.0


def _blocks(part: TokenLines) -> Iterator[tuple[int, int]]:
    """Yield first and last column of each block of columns that a page shows side by side."""
    columns = zip_longest(*(line.tokens for line in part.lines), fillvalue="")
    widths = [MARGIN + max(map(cell_len, tokens)) for tokens in columns]
    return column_blocks(widths, PAGE_WIDTH)


def column_blocks(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yield first and last column of each block of columns that stand side by side.

    Args:
        widths: of the columns, with what is between them.
        room: of a block; a column that is wider has a block of its own.
    """
    start, used = 0, 0
    for column, width in enumerate(widths):
        if used + width > room and column > start:
            yield start, column
            start, used = column, 0
        used += width
    if widths:
        yield start, len(widths)
