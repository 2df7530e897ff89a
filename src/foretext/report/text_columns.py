"""Cells under each other as plain text, by their width in a terminal: a Chinese letter has two."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len

__all__ = ["padded", "text_columns"]

GAP = "  "  # between columns


def text_columns(rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> list[str]:
    """Return a line for each row, all of as many cells.

    Args:
        rows: their cells; the first one has the titles.
        left: columns whose cells stand to the left; those of the others, numbers, to the right.

    >>> text_columns([["候选", "MB"], ["bert", "5"]])
    ['候选  MB', 'bert   5']
    """
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(
            padded(cell, width, to_right=column not in left)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def padded(text: str, width: int, *, to_right: bool = False) -> str:
    """Return a text with blanks after it, or before it, so that it fills so many cells."""
    blanks = " " * (width - cell_len(text))
    return blanks + text if to_right else text + blanks
