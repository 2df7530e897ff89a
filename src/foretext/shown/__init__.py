"""What a person is shown of training examples and models: plain values, drawn elsewhere."""

from foretext.shown.values import (
    Cell,
    Grid,
    Grids,
    Mark,
    Note,
    Part,
    Shown,
    Table,
    TokenLine,
    TokenLines,
)

__all__ = [
    "Cell",
    "Grid",
    "Grids",
    "Mark",
    "Note",
    "Part",
    "Shown",
    "Table",
    "TokenLine",
    "TokenLines",
]
