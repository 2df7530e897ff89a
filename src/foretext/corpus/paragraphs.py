"""The paragraphs of a file with their places: what is needed to show where a text stands.

The normal form of a corpus forgets lines and offsets. Here every paragraph keeps them. A paragraph
is a line of text; in text that was wrapped at a width it is a block of lines between empty ones. A
row of a table is a document, and each of its lines a paragraph.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from foretext.corpus.decoding import LONGEST_LINE
from foretext.corpus.formats import format_of, plain_text, row_texts
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.sources import Source

__all__ = ["Paragraph", "has_rows", "paragraphs"]

_ENDS_DOCUMENT = {"line": 0, "blank_line": 1, "blank_lines": 2, "file": None}  # by empty lines


class Paragraph(NamedTuple):
    """A paragraph as it stands in its file, but for line ends, which are blanks in it."""

    text: str
    start: int  # characters before it, in its file or in its row
    line: int  # of its first character, or number of its row; from 1
    begins: bool  # whether a document begins with it
    ends: tuple[int, ...] = ()  # places of line ends in it; none of a row

    def line_of(self, at: int) -> int:
        """Return the line, or the row, of the character `at`."""
        return self.line + bisect_right(self.ends, at)


def has_rows(source: Source, config: CorpusConfig) -> bool:
    """Whether places in a file are rows, which is so in all formats but plain text."""
    return format_of(source.name, source.reading(config)) != "txt"


def paragraphs(source: Source, reading: CorpusConfig) -> Iterator[tuple[Paragraph, int]]:
    """Yield each paragraph of a file, with the stored bytes that were read by then.

    Args:
        source: the file.
        reading: how it is read (`Corpus.reading`).

    Raises:
        CorpusError: the file cannot be read, is damaged or of another kind.
    """
    with source.open() as file:
        found: Iterator[Paragraph]
        if has_rows(source, reading):
            rows = row_texts(file, source.name, reading)
            found = (each for number, row in enumerate(rows, 1) for each in _of_row(row, number))
        else:
            found = _of_text(plain_text(file, source.name, reading), reading)
        for paragraph in found:
            yield paragraph, file.tell()


def _of_row(text: str, number: int) -> Iterator[Paragraph]:
    at, begins = 0, True
    for line in text.split("\n"):
        if (bare := line.strip()) != "":
            start = at + line.index(bare[0])
            yield Paragraph(bare, start, number, begins)
            begins = False
        at += len(line) + 1


def _of_text(chunks: Iterable[str], config: CorpusConfig) -> Iterator[Paragraph]:
    """Yield the paragraphs of plain text: lines, or blocks of wrapped lines."""
    wrapped = config.lines == "wrapped"
    most_empty = _ENDS_DOCUMENT[config.documents]
    block: list[tuple[str, int, int]] = []
    length, num_empty, begins = 0, 0, True
    for line, start, number in _lines(chunks):
        if not line.strip():
            if block:
                yield _joined(block, begins)
                block, length, begins = [], 0, False
            num_empty += 1
            continue
        ended = most_empty is not None and num_empty >= (most_empty or wrapped)
        if block and (not wrapped or length > LONGEST_LINE):
            yield _joined(block, begins)
            block, length, begins = [], 0, False
        begins = begins or (ended and not block)
        block.append((line, start, number))
        length, num_empty = length + len(line), 0
    if block:
        yield _joined(block, begins)


def _joined(block: list[tuple[str, int, int]], begins: bool) -> Paragraph:
    """Return lines that follow each other as one paragraph, without white space at its ends."""
    _, first, number = block[0]
    whole = "".join(line for line, _, _ in block)
    bare = whole.strip()
    skipped = whole.index(bare[0])
    ends = tuple(start - first - skipped for _, start, _ in block[1:])
    text = bare.replace("\r", " ").replace("\n", " ") if len(block) > 1 else bare
    return Paragraph(text, first + skipped, number, begins, ends)


def _lines(chunks: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Yield lines with their ends, the characters before each, and its number.

    A line of more than `LONGEST_LINE` characters comes in pieces.
    """
    rest, at, number = "", 0, 1
    for chunk in chunks:
        *lines, rest = (rest + chunk).split("\n")
        for line in lines:
            yield from ((piece, at + place, number) for place, piece in _pieces(f"{line}\n"))
            at, number = at + len(line) + 1, number + 1
        *pieces, (place, rest) = _pieces(rest)
        yield from ((piece, at + before, number) for before, piece in pieces)
        at += place
    if rest:
        yield rest, at, number


def _pieces(line: str) -> list[tuple[int, str]]:
    """Cut a line, which is hardly ever needed; each piece with its place."""
    if len(line) <= LONGEST_LINE + 1:
        return [(0, line)]
    places = range(0, len(line), LONGEST_LINE)
    return [(place, line[place : place + LONGEST_LINE]) for place in places]
