"""word2vec binary: a header "V D", then rows of a word, a blank and D little-endian float32.

The C program ends each row with a line end, gensim does not; both are read, the first is written.
Where rows have line ends, these also show where a word with blanks ends.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from foretext.base.errors import VectorFileError
from foretext.vectors.formats.table import (
    ReadOptions,
    Rows,
    VectorTable,
    encoded_words,
    open_input,
    open_output,
)
from foretext.vectors.formats.word2vec_text import check_num_words, read_header

__all__ = ["read", "write"]

_BLOCK_BYTES = 8 << 20
_LONGEST_WORD = 1 << 16  # bytes; beyond that the rows are out of step
_LONGEST_PHRASE = 1000  # bytes of a word with blanks
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
    rest, splitter, block = b"", _Splitter(dim), file.read(_BLOCK_BYTES)
    while block:
        following = file.read(_BLOCK_BYTES)
        words, vectors, rest = splitter.split(
            rest + block, num_words - len(rows.words), final=not following
        )
        rows.add(words, np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, dim))
        if rows.full:
            break
        if len(rows.words) == num_words:
            return (rest + following).strip(b"\n")
        if len(rest) > _LONGEST_WORD + 4 * dim:
            raise VectorFileError(
                f"{rows.where(len(rows.words))}: no word is found there; the header is wrong or "
                f"the file is damaged."
            )
        block = following
    return b""


class _Splitter:
    """Cuts bytes into words and vectors."""

    def __init__(self, dim: int) -> None:
        self._step = 4 * dim
        self._ends_lines: bool | None = None  # whether rows have line ends; None: nothing is known

    def split(
        self, block: bytes, num_rows: int, *, final: bool
    ) -> tuple[list[bytes], list[bytes], bytes]:
        """Cut at most `num_rows` rows off `block`; return words, vectors, and what is left.

        What stands behind a row must be there too, unless `block` is `final`.
        """
        words, vectors, at = [], [], 0
        for _ in range(num_rows):
            blank = self._word_end(block, at)
            end = blank + 1 + self._step
            if blank < 0 or end + (not final) > len(block):
                break
            words.append(block[at:blank].lstrip(b"\n"))
            vectors.append(block[blank + 1 : end])
            at = end
        return words, vectors, block[at:]

    def _word_end(self, block: bytes, at: int) -> int:
        """Return where the blank behind the word at `at` is; -1: there is none."""
        first = blank = block.find(b" ", at)
        if first < 0 or self._ends_lines is False or self._is_end(block, first):
            return self._noted(first, block)
        while blank >= 0 and blank - at < _LONGEST_PHRASE:
            blank = block.find(b" ", blank + 1)
            if not _is_plain(block[at:blank]):
                break
            if self._is_end(block, blank):
                return self._noted(blank, block)
        return self._noted(first, block)

    def _is_end(self, block: bytes, blank: int) -> bool:
        return block[blank + 1 + self._step : blank + 2 + self._step] == b"\n"

    def _noted(self, blank: int, block: bytes) -> int:
        """Note by the first row whether rows have line ends."""
        if self._ends_lines is None and 0 <= blank < len(block) - self._step - 1:
            self._ends_lines = self._is_end(block, blank)
        return blank


def _is_plain(word: bytes) -> bool:
    """Whether bytes are UTF-8 without control characters, which vectors hardly ever are."""
    try:
        return word.lstrip(b"\n").decode().isprintable()
    except UnicodeDecodeError:
        return False
