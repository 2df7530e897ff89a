"""GloVe text: a line a word, no header; words may hold blanks, as some of glove.840B do."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

from foretext.base.errors import VectorFileError
from foretext.vectors.formats.lines import (
    LONGEST_LINE,
    is_number,
    read_lines,
    refuse_carriage_returns,
    write_lines,
)
from foretext.vectors.formats.table import (
    ReadOptions,
    Rows,
    VectorTable,
    encoded_words,
    open_input,
    open_output,
)
from foretext.vectors.formats.word2vec_text import MOST_DIMENSIONS

__all__ = ["num_dimensions", "read", "write"]

_LINES = 50  # that tell the number of dimensions


def read(path: Path, options: ReadOptions) -> VectorTable:
    """Read `path`; the first lines tell the number of dimensions.

    Raises:
        VectorFileError: a damaged line, or a file without one.
    """
    with open_input(path) as file:
        first = [file.readline(LONGEST_LINE) for _ in range(_LINES)]
        dim = _dim_of_lines(first)
        refuse_carriage_returns(first[0], path)
        if not 0 < dim <= MOST_DIMENSIONS:
            raise VectorFileError(
                f"{path}, line 1: a word and its numbers are expected, separated by blanks; this "
                f"is not a GloVe file."
            )
        file.seek(0)
        rows = Rows(path, dim, options, "line", first=1)
        read_lines(file, rows, dim)
    return rows.table()


def write(path: Path, table: VectorTable) -> None:
    """Write `path`; words must hold no blank, tab or line end."""
    words = encoded_words(table.words, path, forbidden=" \t\r\n")
    with open_output(path) as file:
        write_lines(file, words, table.vectors)


def _dim_of_lines(lines: list[bytes]) -> int:
    """Return how many numbers most lines have; words such as "windows 10" seem to have one more.

    Of equally many, whole numbers before decimals count as parts of words.
    """
    lines = [line for line in lines if line.strip()]
    first, *others = Counter(map(num_dimensions, lines)).most_common() or [(0, 0)]
    if others and others[0][1] == first[1]:
        first = Counter(map(_num_decimals, lines)).most_common(1)[0]
    return first[0]


def _num_decimals(line: bytes) -> int:
    """Return how many numbers end the line, without whole ones at their beginning."""
    number = num_dimensions(line)
    numbers = line.split()[-number:] if number else []
    if any(b"." in each for each in numbers):
        number -= sum(1 for _ in itertools.takewhile(bytes.isdigit, numbers))
    return number


def num_dimensions(line: bytes) -> int:
    """Return how many numbers end the line, after at least one field that is the word."""
    fields = line.split()[1:]
    return sum(1 for _ in itertools.takewhile(is_number, reversed(fields)))
