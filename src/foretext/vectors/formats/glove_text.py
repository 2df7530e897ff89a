"""GloVe text: a line a word, no header; words may hold blanks, as some of glove.840B do."""

from __future__ import annotations

import itertools
from pathlib import Path

from foretext.errors import VectorFileError
from foretext.vectors.formats.lines import LONGEST_LINE, is_number, read_lines, write_lines
from foretext.vectors.formats.streams import encoded_words, open_input, open_output
from foretext.vectors.formats.table import ReadOptions, Rows, VectorTable
from foretext.vectors.formats.word2vec_text import MOST_DIMENSIONS

__all__ = ["num_dimensions", "read", "write"]


def read(path: Path, options: ReadOptions) -> VectorTable:
    """Read `path`; the first line tells the number of dimensions.

    Raises:
        VectorFileError: a damaged line, or a file without one.
    """
    with open_input(path) as file:
        dim = num_dimensions(file.readline(LONGEST_LINE))
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


def num_dimensions(line: bytes) -> int:
    """Return how many numbers end the line, after at least one field that is the word."""
    fields = line.split()[1:]
    return sum(1 for _ in itertools.takewhile(is_number, reversed(fields)))
