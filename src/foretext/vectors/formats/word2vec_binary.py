"""word2vec binary: a header "V D", then rows of a word, a blank and D little-endian float32.

The C program ends each row with a line end, gensim does not; both are read, the first is written.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from foretext.errors import VectorFileError
from foretext.vectors.formats.streams import encoded_words, open_input, open_output
from foretext.vectors.formats.table import ReadOptions, Rows, VectorTable
from foretext.vectors.formats.word2vec_text import check_num_words, read_header

__all__ = ["read", "write"]

_BLOCK_BYTES = 8 << 20
_LONGEST_WORD = 1 << 16  # bytes; beyond that the rows are out of step
_BLOCK_ROWS = 4096


def read(path: Path, options: ReadOptions) -> VectorTable:
    """Read `path`.

    Raises:
        VectorFileError: fewer or more rows than the header says, or rows out of step.
    """
    with open_input(path) as file:
        num_words, dim = read_header(file, path)
        rows = Rows(path, dim, options, "row", first=1)
        rest = _read_rows(file, rows, num_words, dim)
    if not rows.full:
        check_num_words(path, num_words, len(rows.words) + bool(rest))
    return rows.table()


def write(path: Path, table: VectorTable) -> None:
    """Write `path`; words must hold no blank, tab or line end."""
    words = encoded_words(table.words, path, forbidden=" \t\r\n")
    with open_output(path) as file:
        file.write(b"%d %d\n" % table.vectors.shape)
        for start in range(0, len(words), _BLOCK_ROWS):
            block = table.vectors[start : start + _BLOCK_ROWS].astype("<f4").tobytes()
            step = 4 * table.vectors.shape[1]
            for row, word in enumerate(words[start : start + _BLOCK_ROWS]):
                file.write(b"%b %b\n" % (word, block[row * step : (row + 1) * step]))


def _read_rows(file: BinaryIO, rows: Rows, num_words: int, dim: int) -> bytes:
    """Add up to `num_words` rows; return the bytes that follow them, or an unfinished row."""
    rest = b""
    while block := file.read(_BLOCK_BYTES):
        words, vectors, rest = _split_rows(rest + block, num_words - len(rows.words), dim)
        rows.add(words, np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, dim))
        if rows.full:
            break
        if len(rows.words) == num_words:
            return (rest + file.read(1)).strip(b"\n")
        if len(rest) > _LONGEST_WORD + 4 * dim:
            raise VectorFileError(
                f"{rows.where(len(rows.words))}: no word is found there; the header is wrong or "
                f"the file is damaged."
            )
    return b""


def _split_rows(block: bytes, num_rows: int, dim: int) -> tuple[list[bytes], list[bytes], bytes]:
    """Cut at most `num_rows` rows off `block`; return words, vectors as bytes, and what is left."""
    words, vectors = [], []
    at, step = 0, 4 * dim
    for _ in range(num_rows):
        blank = block.find(b" ", at)
        if blank < 0 or blank + 1 + step > len(block):
            break
        words.append(block[at:blank].lstrip(b"\n"))
        at = blank + 1 + step
        vectors.append(block[blank + 1 : at])
    return words, vectors, block[at:]
