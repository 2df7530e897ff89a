"""word2vec text: a header "V D", then a line a word (the C program's ``-binary 0``, .vec, .txt)."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from foretext.base.counted import counted, number_of
from foretext.base.errors import VectorFileError
from foretext.messages import message
from foretext.vectors.formats.lines import read_lines, refuse_carriage_returns, write_lines
from foretext.vectors.formats.table import (
    ReadOptions,
    Rows,
    VectorTable,
    encoded_words,
    open_input,
    open_output,
)

__all__ = ["check_num_words", "parse_header", "read", "read_header", "write"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_DIMENSIONS = 1 << 20  # of any vectors
_LONGEST_HEADER = 1000  # bytes; what has no line end for so long is no header


def read(path: Path, options: ReadOptions) -> VectorTable:
    """Read `path`.

    Raises:
        VectorFileError: a damaged line, or another number of words than the header says.
    """
    with open_input(path) as file:
        num_words, dim = read_header(file, path)
        rows = Rows(path, dim, options, "line", first=2)
        read_lines(file, rows, dim)
    if not rows.full:
        check_num_words(path, num_words, len(rows.words))
    return rows.table()


def write(path: Path, table: VectorTable) -> None:
    """Write `path`; words must hold no blank, tab or line end."""
    words = encoded_words(table.words, path, forbidden=" \t\r\n")
    with open_output(path) as file:
        file.write(b"%d %d\n" % table.vectors.shape)
        write_lines(file, words, table.vectors)


def read_header(file: BinaryIO, path: Path) -> tuple[int, int]:
    """Read the first line; return the number of words and of dimensions it says.

    Raises:
        VectorFileError: it is not two positive numbers.
    """
    line = file.readline(_LONGEST_HEADER)
    header = parse_header(line)
    refuse_carriage_returns(line, path)
    if header is None or min(header) < 1 or header[1] > MOST_DIMENSIONS:
        shown = line.strip()[:40].decode("utf-8", "replace")
        raise VectorFileError(
            f"{path}, line 1: '{shown}' is not the header of a word2vec file, which says the "
            f"number of words and of dimensions as in '70000 100'; check that this is a vector "
            f"file, and say format='glove' for one without a header."
        )
    return header


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Return the two whole numbers of a header line, or None if it is something else."""
    fields = line.removeprefix(_BYTE_ORDER_MARK).split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def check_num_words(path: Path, promised: int, found: int) -> None:
    """Refuse a file that holds another number of rows than its header promises.

    Raises:
        VectorFileError: the two differ.
    """
    if found < promised:
        raise VectorFileError(
            message(
                "files.vectors.cut_off", path=path, words=number_of("word", promised), found=found
            )
        )
    if found > promised:
        raise VectorFileError(
            f"{path}: the header promises {counted(promised, 'word')} but there are more; correct "
            f"the header, or say limit={promised} to read no further (`foretext convert {path} "
            f"clean.safetensors --limit {promised}`)."
        )
