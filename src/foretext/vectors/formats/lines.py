"""Lines of a word and D decimals: what word2vec text and GloVe text have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import VectorFileError
from foretext.messages import message
from foretext.vectors.formats.table import Rows

__all__ = ["LONGEST_LINE", "is_number", "read_lines", "refuse_carriage_returns", "write_lines"]

_BLOCK_BYTES = 8 << 20
_BLOCK_ROWS = 4096
LONGEST_LINE = 1 << 25  # bytes; a million numbers
_FEW = 4  # of so many lines one may have a number more, which is part of its word
_MOST_CHARACTERS = 16  # of a number and the blank before it: " -1.17549435e-38"


def read_lines(file: BinaryIO, rows: Rows, dim: int) -> None:
    """Add every line of `file` to `rows`; a word that holds blanks ends before the last D fields.

    A word can end with a number ("windows 10"). Where many do, the lines have more numbers than D.

    Raises:
        VectorFileError: a line without `dim` numbers after its word, or too many lines with more.
    """
    parser = _Parser(rows, dim)
    for block in _blocks_of_lines(file, rows):
        rows.add(*parser.parse(block))
        if rows.full:
            break
    parser.refuse_long_lines()


def refuse_carriage_returns(head: bytes, path: Path) -> None:
    """Refuse a text whose lines end with carriage returns, by its first bytes.

    Raises:
        VectorFileError: there is one, and no line feed.
    """
    if b"\r" in head.rstrip() and b"\n" not in head:
        raise VectorFileError(
            f"{path}: its lines end with carriage returns, as old Macintoshes and Excel write "
            f"them; convert them: `tr '\\r' '\\n' < {path} > {path.stem}-lines{path.suffix}`."
        )


def is_number(field: bytes) -> bool:
    """Whether a field is a decimal number, NaN and infinities included."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def write_lines(file: BinaryIO, words: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
    """Write each word, its vector in the shortest decimals that read back exactly, a line end."""
    from foretext.kernels.decimal import format_rows

    text = np.empty(_BLOCK_ROWS * (_MOST_CHARACTERS * vectors.shape[1] + 1), dtype=np.uint8)
    for start in range(0, len(words), _BLOCK_ROWS):
        block = np.ascontiguousarray(vectors[start : start + _BLOCK_ROWS])
        ends = np.empty(len(block), dtype=np.int64)
        format_rows(block, text, ends)
        numbers = text[: ends[-1]].tobytes()
        spans = itertools.pairwise([0, *ends.tolist()])
        block_words = words[start : start + _BLOCK_ROWS]
        file.writelines(
            word + numbers[begin:end] for word, (begin, end) in zip(block_words, spans, strict=True)
        )


def _blocks_of_lines(file: BinaryIO, rows: Rows) -> Iterator[bytes]:
    """Yield blocks that end where a line ends; blank lines at the end of the file are dropped."""
    rest = b""
    while block := file.read(_BLOCK_BYTES):
        if len(rest) > LONGEST_LINE:
            raise VectorFileError(
                message("files.vectors.line_end", where=rows.where(len(rows.words)))
            )
        block = rest + block
        cut = block.rstrip().rfind(b"\n") + 1  # the last line may be all that is left
        rest = block[cut:]
        if cut:
            yield block[:cut]
    if rest.strip():
        yield rest.rstrip()


class _Parser:
    """Reads lines, and counts those with more numbers than there should be."""

    def __init__(self, rows: Rows, dim: int) -> None:
        self._rows, self._dim = rows, dim
        self._num_lines = self._num_long = 0
        self._first_long: VectorFileError | None = None

    def parse(self, block: bytes) -> tuple[list[bytes], NDArray[np.float32]]:
        """Return the words of whole lines, and their vectors (R, D).

        Raises:
            VectorFileError: a line without D numbers at its end.
        """
        from foretext.kernels.decimal import parse_lines

        text = np.frombuffer(block, dtype=np.uint8)
        num_lines = block.count(b"\n") + (not block.endswith(b"\n"))
        vectors = np.empty((num_lines, self._dim), dtype=np.float32)
        word_spans, line_spans = np.empty((2, num_lines, 2), dtype=np.int64)
        parsed = np.empty(num_lines, dtype=np.bool_)
        parse_lines(text, vectors, word_spans, line_spans, parsed)
        words = [block[start:end] for start, end in word_spans.tolist()]
        for line in np.flatnonzero(~parsed).tolist():
            start, end = line_spans[line].tolist()
            where = self._rows.where(len(self._rows.words) + line)
            words[line], vectors[line] = self._parse_line(block[start:end], where)
        self._num_lines += num_lines
        return words, vectors

    def refuse_long_lines(self) -> None:
        """Refuse a file in which lines with more numbers are no exception.

        Raises:
            VectorFileError: that of the first such line.
        """
        if self._first_long is not None and self._num_long * _FEW > self._num_lines:
            raise self._first_long

    def _parse_line(self, line: bytes, where: str) -> tuple[bytes, NDArray[np.float32]]:
        """Read one line that the kernel would not: exotic numbers, blanks in a word, a mistake."""
        fields = line.rsplit(None, self._dim)
        wrong = next((field for field in fields[1:] if not is_number(field)), None)
        if len(fields) == self._dim + 1 and wrong is not None:
            shown = wrong[:40].decode("utf-8", "replace")
            raise VectorFileError(message("files.vectors.no_number", where=where, shown=shown))
        if len(fields) <= self._dim:
            raise self._wrong_number(line, where)
        word = fields[0].strip()
        last_piece = word.rsplit(None, 1)[-1]
        if last_piece != word and is_number(last_piece) and not _differs(last_piece, fields[1:]):
            self._num_long += 1
            self._first_long = self._first_long or self._wrong_number(line, where)
        with np.errstate(over="ignore"):  # what float32 cannot hold is reported as an infinity
            return word, np.array([float(field) for field in fields[1:]]).astype(np.float32)

    def _wrong_number(self, line: bytes, where: str) -> VectorFileError:
        found = max(len(line.split()) - 1, 0)
        return VectorFileError(
            f"{where}: {found} numbers follow the word where {self._dim} are expected; "
            f"the file is damaged there."
        )


def _differs(piece: bytes, numbers: list[bytes]) -> bool:
    """Whether a whole number stands before decimals, as in "windows 10 0.25 -1.5"."""
    return piece.isdigit() and any(b"." in number for number in numbers)
