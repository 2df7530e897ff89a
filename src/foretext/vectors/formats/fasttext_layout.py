"""How fastText's model files (version 12) are laid out, whatever model they hold.

All numbers are little-endian: settings, dictionary, input matrix, output matrix.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import VectorFileError

__all__ = [
    "BLOCK_ROWS",
    "CBOW",
    "CODES",
    "DICTIONARY",
    "ENTRY",
    "LABEL",
    "LONGEST_NGRAM",
    "MAGIC",
    "NEGATIVE_SAMPLING",
    "PRUNED",
    "QUANTIZER",
    "SETTINGS",
    "SHAPE",
    "SKIPGRAM",
    "SUPERVISED",
    "VERSION",
    "WORD",
    "Settings",
    "Source",
    "read_settings",
]

MAGIC = 793712314
VERSION = 12
SUPERVISED_WITHOUT_NGRAMS = 11  # a version whose supervised models say maxn but make no use of it
CBOW, SKIPGRAM, SUPERVISED = 1, 2, 3
NEGATIVE_SAMPLING = 2
WORD, LABEL = 0, 1  # kinds of dictionary entries

BLOCK_ROWS = 16384  # read and written at once

MOST_DIMENSIONS = 1 << 20  # of any vectors
LONGEST_NGRAM = 100  # characters

_BLOCK_BYTES = 8 << 20
_LONGEST_WORD = 1 << 16  # bytes; beyond that no word stands there
_MOST_PACKED = 1032  # times its size that gzip can unpack a file to


class Settings(NamedTuple):
    """What the file says about the training, in its order."""

    dim: int
    window: int = 5
    epochs: int = 5
    min_count: int = 1
    negatives: int = 5
    word_ngrams: int = 1
    loss: int = NEGATIVE_SAMPLING
    model: int = SKIPGRAM
    bucket: int = 0
    minn: int = 0
    maxn: int = 0
    update_every: int = 100
    sample: float = 1e-4


SETTINGS = struct.Struct("<12id")
DICTIONARY = struct.Struct("<3i2q")  # entries, words, labels; tokens, pruned buckets
ENTRY = struct.Struct("<qb")  # count, kind; the word and a zero byte stand before them
SHAPE = struct.Struct("<2q")
PRUNED = struct.Struct("<2i")  # a bucket that is kept, and its row behind those of the words
CODES = struct.Struct("<2qi")  # quantised: rows, numbers of a row, bytes of codes
QUANTIZER = struct.Struct("<4i")  # numbers of a row, parts, numbers of a part, and of the last one


class Source:
    """A file read from front to back, that says where it ends too early.

    Raises:
        VectorFileError: from every method: the file ends too early, or says what cannot be.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.path = path
        self._file = file
        self._block = b""
        self._at = 0
        self._most = _MOST_PACKED * path.stat().st_size

    def expect(self, size: int) -> None:
        """Refuse what promises more bytes than the file can hold, before room is made for them."""
        if not 0 <= size <= self._most:
            raise self._cut_off()

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        self.expect(size)
        while len(self._block) - self._at < size:
            self._more(size)
        self._at += size
        return self._block[self._at - size : self._at]

    def take_until_zero(self) -> bytes:
        """Return the bytes before the next zero byte, and step over it."""
        while (end := self._block.find(b"\0", self._at)) < 0:
            if len(self._block) - self._at > _LONGEST_WORD:
                raise self.damaged("a word of the dictionary does not end")
            self._more(0)
        return self.take(end + 1 - self._at)[:-1]

    def shape(self, dim: int) -> int:
        """Return the rows of the matrix that comes next.

        Raises:
            VectorFileError: its rows are not of `dim` numbers.
        """
        num_rows, columns = SHAPE.unpack(self.take(SHAPE.size))
        if num_rows < 0 or columns != dim:
            raise self.damaged(f"a matrix of {num_rows} x {columns} stands where rows of {dim} do")
        self.expect(4 * dim * num_rows)
        return int(num_rows)

    def matrix(self, num_rows: int, dim: int) -> Iterator[NDArray[np.float32]]:
        """Yield the next rows in blocks (N, D)."""
        step = max(min(BLOCK_ROWS, _BLOCK_BYTES // dim), 1)
        for start in range(0, num_rows, step):
            size = min(step, num_rows - start)
            yield np.frombuffer(self.take(4 * dim * size), "<f4").reshape(size, dim)

    def damaged(self, what: str) -> VectorFileError:
        """Return the complaint that the file cannot be right."""
        return VectorFileError(f"{self.path}: {what}; the file is damaged, fetch it again.")

    def _more(self, wanted: int) -> None:
        """Read on until `wanted` bytes are there, and one block at least."""
        pieces = [self._block[self._at :]]
        missing = max(wanted - len(pieces[0]), 1)
        while missing > 0:
            piece = self._file.read(_BLOCK_BYTES)
            if not piece:
                raise self._cut_off()
            pieces.append(piece)
            missing -= len(piece)
        self._block = b"".join(pieces)
        self._at = 0

    def _cut_off(self) -> VectorFileError:
        return VectorFileError(
            f"{self.path}: this fastText model is cut off; fetch or write it again."
        )


def read_settings(source: Source) -> Settings:
    """Read what stands before the dictionary.

    Raises:
        VectorFileError: another kind of file, another version, or sizes that cannot be.
    """
    magic, version = struct.unpack("<2i", source.take(8))
    if magic != MAGIC:
        raise VectorFileError(
            f"{source.path}: this is no fastText model, which would begin with {MAGIC}, not "
            f"{magic}; leave out format='fasttext', and the format is found."
        )
    if version not in (SUPERVISED_WITHOUT_NGRAMS, VERSION):
        raise VectorFileError(
            f"{source.path}: this is version {version} of fastText's files, and versions "
            f"{SUPERVISED_WITHOUT_NGRAMS} and {VERSION} are read; load it with its own program and "
            f"save its vectors as text."
        )
    settings = Settings(*SETTINGS.unpack(source.take(SETTINGS.size)))
    if (
        not 1 <= settings.dim <= MOST_DIMENSIONS
        or settings.bucket < 0
        or not 0 <= settings.maxn <= LONGEST_NGRAM
    ):
        raise source.damaged(
            f"{settings.dim} dimensions, {settings.bucket} buckets and n-grams of up to "
            f"{settings.maxn} characters cannot be"
        )
    if version == SUPERVISED_WITHOUT_NGRAMS and settings.model == SUPERVISED:
        settings = settings._replace(maxn=0)
    return settings
