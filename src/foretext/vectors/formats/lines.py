"""Lines of a word and D decimals: what word2vec text and GloVe text have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from foretext.errors import VectorFileError
from foretext.vectors.formats.table import Rows

__all__ = ["LONGEST_LINE", "is_number", "read_lines", "write_lines"]

_BLOCK_BYTES = 8 << 20
_BLOCK_ROWS = 4096
LONGEST_LINE = 1 << 25  # bytes; a million numbers
_MOST_CHARACTERS = 16  # of a number and the blank before it: " -1.17549435e-38"


def read_lines(file: BinaryIO, rows: Rows, dim: int) -> None:
    """Add every line of `file` to `rows`; a word that holds blanks ends before the last D fields.

    Raises:
        VectorFileError: a line without `dim` numbers after its word.
    """
    for block in _blocks_of_lines(file, rows):
        words, vectors = _parse_block(block, rows, dim)
        rows.add(words, vectors)
        if rows.full:
            return


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
                f"{rows.where(len(rows.words))}: the line does not end; the file is damaged there."
            )
        block = rest + block
        cut = block.rstrip().rfind(b"\n") + 1  # the last line may be all that is left
        rest = block[cut:]
        if cut:
            yield block[:cut]
    if rest.strip():
        yield rest.rstrip()


def _parse_block(block: bytes, rows: Rows, dim: int) -> tuple[list[bytes], NDArray[np.float32]]:
    from foretext.kernels.decimal import parse_lines

    text = np.frombuffer(block, dtype=np.uint8)
    num_lines = block.count(b"\n") + (not block.endswith(b"\n"))
    vectors = np.empty((num_lines, dim), dtype=np.float32)
    word_spans, line_spans = np.empty((2, num_lines, 2), dtype=np.int64)
    parsed = np.empty(num_lines, dtype=np.bool_)
    parse_lines(text, vectors, word_spans, line_spans, parsed)
    words = [block[start:end] for start, end in word_spans.tolist()]
    for line in np.flatnonzero(~parsed).tolist():
        start, end = line_spans[line].tolist()
        where = rows.where(len(rows.words) + line)
        words[line], vectors[line] = _parse_line(block[start:end], where, dim)
    return words, vectors


def _parse_line(line: bytes, where: str, dim: int) -> tuple[bytes, NDArray[np.float32]]:
    """Read one line that the kernel would not: exotic numbers, a word with blanks, a mistake."""
    fields = line.rsplit(None, dim)
    last_piece = fields[0].rsplit(None, 1)[-1] if fields else b""
    wrong = next((field for field in fields[1:] if not is_number(field)), None)
    if len(fields) == dim + 1 and wrong is not None:
        shown = wrong[:40].decode("utf-8", "replace")
        raise VectorFileError(f"{where}: '{shown}' is not a number; the file is damaged there.")
    if len(fields) <= dim or (last_piece != fields[0] and is_number(last_piece)):
        found = max(len(line.split()) - 1, 0)
        raise VectorFileError(
            f"{where}: {found} numbers follow the word where {dim} are expected; "
            f"the file is damaged there."
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold is reported as an infinity
        return fields[0], np.array([float(field) for field in fields[1:]]).astype(np.float32)
