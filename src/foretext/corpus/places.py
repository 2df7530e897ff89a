"""Where a piece of text is in its file, found from the last few chunks that were read."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Protocol

from foretext.corpus.findings import Place
from foretext.corpus.lines import LONGEST_LINE

__all__ = ["Locate", "Places", "PlainPlaces", "RowPlaces"]

_EMPTY_LINE = re.compile(r"\n(?=[^\S\n]*\n)")
_REMEMBERED = 3  # chunks, or texts of rows; a document begins in the current one or the one before
_LONGEST_NEEDLE = 4096  # characters of a line that are compared
_BEGINNING = 60  # characters of a row that are compared, without white space


class Locate(Protocol):
    """Finds the place of the character `at` of a text in normal form."""

    def __call__(self, text: str, at: int = 0, *, first: bool = False) -> Place:
        """Return the place, without a line if it is not known; of equal lines, the `first`."""
        ...


class Places(Protocol):
    """The lines or rows of a file, while it is read."""

    lines: int
    empty_lines: int
    long_lines: list[Place]

    def see(self, chunk: str) -> None:
        """Read the next decoded chunk of the file, or the next row."""
        ...

    def recent(self) -> Locate:
        """Return what finds the places of the text that was just read, now and later."""
        ...


class PlainPlaces:
    """Lines of plain text: how many, which are too long, and which one contains a given text."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines = 0
        self.empty_lines = 0
        self.long_lines: list[Place] = []
        self._tail = "\n"  # the last line end, where nothing but white space came after it
        self._recent: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)  # line ends before, chunk
        self._run = 0  # characters of the current line so far

    def see(self, chunk: str) -> None:
        """Read the next decoded chunk of the file."""
        self._recent.append((self.lines, chunk))
        before, end = self._run, chunk.find("\n")
        self._run += len(chunk) if end < 0 else end
        if before <= LONGEST_LINE < self._run:
            self.long_lines.append(Place(file=self.file, line=self.lines + 1))
        if end >= 0:
            self._run = len(chunk) - chunk.rfind("\n") - 1
        self.lines += chunk.count("\n")
        self._count_empty(self._tail + chunk)

    def recent(self) -> Locate:
        """Return what finds the places of the text that was just read, now and later."""
        return partial(_line_of, self.file, tuple(self._recent))

    def _count_empty(self, text: str) -> None:
        self.empty_lines += len(_EMPTY_LINE.findall(text))
        end = text.rfind("\n")
        self._tail = "\n" if end >= 0 and text[end:].isspace() else ""


def _line_of(
    file: str, chunks: Sequence[tuple[int, str]], text: str, at: int = 0, *, first: bool = False
) -> Place:
    """Find the line of the character `at` of `text` in chunks, each with the line ends before."""
    start = text.rfind("\n", 0, at) + 1
    needle = text[start : start + _LONGEST_NEEDLE].partition("\n")[0]
    recent = "\n" + "".join(chunk for _, chunk in chunks)
    find = recent.find if first else recent.rfind
    found = max(find(f"\n{needle}{end}") for end in ("\r\n", "\n"))
    found = find(needle, 1) if found < 0 else found + 1  # of a long or a split line
    if found < 0:
        found = _find_joined(recent, text, at, first=first)
    if found < 0:  # changed by normalisation, or begun long before
        return Place(file=file)
    return Place(file=file, line=chunks[0][0] + recent.count("\n", 0, found))


def _find_joined(recent: str, text: str, at: int, *, first: bool) -> int:
    """Find the character `at` of a text whose lines were joined, whatever its white space."""
    line = text.rfind("\n", 0, at) + 1
    start = max(line, text.rfind(" ", line, at + 1) + 1)
    beginning = "".join(text[start : start + 2 * _BEGINNING].partition("\n")[0].split())
    pattern = r"\s*".join(map(re.escape, beginning[:_BEGINNING]))
    found = [match.start() for match in re.finditer(pattern, recent)] if pattern else []
    return -1 if not found else found[0 if first else -1]


class RowPlaces:
    """Rows of jsonl, csv, tsv or parquet: how many, and which one contains a given text."""

    lines = empty_lines = 0  # rows have none of their own

    def __init__(self, file: str) -> None:
        self.file = file
        self.long_lines: list[Place] = []
        self._before = 0  # rows before the recent ones
        self._recent: deque[list[str]] = deque([[]], maxlen=_REMEMBERED)

    def see(self, chunk: str) -> None:
        """Read the next row."""
        self._recent[-1].append(chunk[: 4 * _BEGINNING])

    def recent(self) -> Locate:
        """Return what finds the places of the text that was just read, now and later."""
        seen = tuple(rows for rows in self._recent if rows)
        found = partial(_row_of, self.file, self._before, seen)
        if self._recent[-1]:  # rows that are read later are no part of what was found
            if len(self._recent) == _REMEMBERED:
                self._before += len(self._recent[0])
            self._recent.append([])
        return found


def _row_of(
    file: str, before: int, recent: Sequence[list[str]], text: str, at: int = 0, *,
    first: bool = False,
) -> Place:  # fmt: skip
    """Find the row of the character `at` of `text` among rows, of which so many stand before."""
    end = text.rfind("\n\n", 0, at)
    start = 0 if end < 0 else end + 2
    beginning = _beginning(text[start : start + 4 * _BEGINNING].partition("\n\n")[0])
    rows = enumerate(chain.from_iterable(recent), before + 1)
    numbers = [number for number, row in rows if _beginning(row) == beginning]
    line = numbers[0 if first else -1] if numbers else None
    return Place(file=file, line=line, unit="row")


def _beginning(row: str) -> str:
    """Return the first characters of a document, whatever its line ends."""
    return "".join(row[: 4 * _BEGINNING].split())[:_BEGINNING]
