"""The kinds of things that are shown, in the reader's language: plain values without a layout.

Whoever has the examples says what is in them: an objective, word vectors, a tokenizer. The
terminal, JSON and pages know these kinds alone. Every text may be the user's, and is escaped where
it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from foretext.messages import language, messages_of

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

Cell = str | int | float | None


@dataclass(frozen=True)
class Note:
    """A sentence or two: what is seen, with the figures that count."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the note as JSON has it."""
        return {"kind": "note", "text": self.text}


@dataclass(frozen=True)
class Mark:
    """What a mark says in the reader's language; `marks.toml` of `messages` has all of ours."""

    name: str
    meaning: str

    @classmethod
    def of(cls, mark: str) -> Mark:
        """Return what a mark says; one that a component from outside made up speaks for itself."""
        ours = messages_of("marks", language())
        return cls(ours.get(f"{mark}.name", mark), ours.get(f"{mark}.meaning", ""))


@dataclass(frozen=True)
class TokenLine:
    """One row of tokens. A mark is a short word for what happened to a token; "" is nothing."""

    label: str
    tokens: tuple[str, ...]
    marks: tuple[str, ...] = ()  # one a token, or none at all

    def __post_init__(self) -> None:
        assert len(self.marks) in (0, len(self.tokens)), (len(self.marks), len(self.tokens))

    @classmethod
    def of(cls, label: str, tokens: Iterable[object], marks: Iterable[str] = ()) -> TokenLine:
        """Return a line of whatever can be written as tokens, such as positions."""
        return cls(label, tuple(str(token) for token in tokens), tuple(marks))

    def to_json(self) -> dict[str, Any]:
        """Return the line as JSON has it."""
        marks = {"marks": list(self.marks)} if self.marks else {}
        return {"label": self.label, "tokens": list(self.tokens), **marks}


@dataclass(frozen=True)
class TokenLines:
    """Rows of tokens above each other, in common columns; "" leaves a column empty."""

    title: str
    lines: tuple[TokenLine, ...]

    @property
    def legend(self) -> dict[str, Mark]:
        """What the marks mean, in the order in which they occur."""
        marks = (mark for line in self.lines for mark in line.marks if mark)
        return {mark: Mark.of(mark) for mark in marks}

    def to_json(self) -> dict[str, Any]:
        """Return the lines and what their marks mean, as JSON has them."""
        lines = [line.to_json() for line in self.lines]
        legend = {mark: asdict(meant) for mark, meant in self.legend.items()}
        return {"kind": "tokens", "title": self.title, "lines": lines, "legend": legend}


@dataclass(frozen=True)
class Table:
    """Rows of cells: counts, merges, shapes. None is an empty cell."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.title

    @classmethod
    def of(cls, title: str, columns: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Table:
        """Return a table of any rows."""
        return cls(title, tuple(columns), tuple(tuple(row) for row in rows))

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds nothing but numbers and empty cells."""
        return all(isinstance(row[column], int | float | None) for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        rows = [list(row) for row in self.rows]
        return {"kind": "table", "title": self.title, "columns": list(self.columns), "rows": rows}


@dataclass(frozen=True)
class Grid:
    """A matrix with labels: who attends to whom (0 and 1), attention weights, scores.

    None is a value that does not exist, such as the score of a step that is forbidden.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]  # of `rows` times `columns`
    is_mask: bool = False  # whether 1 says yes and 0 says no, such as who sees whom

    def __post_init__(self) -> None:
        assert len(self.values) == len(self.rows), self.title
        assert all(len(row) == len(self.columns) for row in self.values), self.title

    @classmethod
    def of(
        cls,
        title: str,
        rows: Iterable[object],
        columns: Iterable[object],
        values: Iterable[Sequence[Any]],
        *,
        is_mask: bool = False,
    ) -> Grid:
        """Return a grid of an array or of nested lists; True is 1."""
        numbers = tuple(tuple(_number(value) for value in row) for row in values)
        return cls(title, tuple(map(str, rows)), tuple(map(str, columns)), numbers, is_mask)

    def to_json(self) -> dict[str, Any]:
        """Return the grid as JSON has it."""
        labels = {"rows": list(self.rows), "columns": list(self.columns)}
        values = [list(row) for row in self.values]
        return {"kind": "grid", "title": self.title, **labels, "values": values}


@dataclass(frozen=True)
class Grids:
    """Matrices with the same labels, one beside another: the heads of all layers.

    A page draws all of them small, and one large; a terminal has no room for them.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    names: tuple[str, ...]  # one a matrix
    values: tuple[tuple[tuple[float | None, ...], ...], ...]  # of `names`, `rows`, `columns`
    across: int  # matrices that stand in one line, such as the heads of a layer

    @classmethod
    def of(
        cls,
        title: str,
        names: Iterable[str],
        rows: Iterable[object],
        columns: Iterable[object],
        values: Iterable[Iterable[Sequence[Any]]],
        across: int,
    ) -> Grids:
        """Return matrices of arrays or of nested lists."""
        beside, above = tuple(map(str, rows)), tuple(map(str, columns))
        each = tuple(Grid.of(title, beside, above, matrix).values for matrix in values)
        found = cls(title, beside, above, tuple(names), each, across)
        assert len(found.names) == len(each), title
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the matrices as JSON has them."""
        values = [[list(row) for row in matrix] for matrix in self.values]
        return {
            "kind": "grids",
            "title": self.title,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "names": list(self.names),
            "values": values,
            "across": self.across,
        }


Part = Note | TokenLines | Table | Grid | Grids


@dataclass(frozen=True)
class Shown:
    """One example or one subject: parts under a title."""

    title: str
    parts: tuple[Part, ...]

    def noted(self, sentences: Iterable[str]) -> Shown:
        """Return this with sentences before its parts."""
        return Shown(self.title, (*map(Note, sentences), *self.parts))

    def to_json(self) -> dict[str, Any]:
        """Return title and parts as JSON has them."""
        return {"title": self.title, "parts": [part.to_json() for part in self.parts]}


def _number(value: Any) -> float | None:
    """Return a number of numpy or PyTorch as one of Python; what is whole stays whole."""
    if value is None:
        return None
    number = float(value)
    return int(number) if number.is_integer() else number
