"""fastText's binary model (``.bin``, version 12): settings, dictionary, input and output matrix.

All numbers are little-endian. The input matrix has a row for each word and one for each bucket of
n-grams. Of buckets, those are kept in memory whose row is not zero; of a supervised model, words
and their character n-grams are read, not labels and word n-grams. The output matrix, on which no
vector depends, is not read, and written as zeros; the settings of the training, which are not kept
with word vectors either, are written as fastText's defaults.

How fastText's model files (version 12) are laid out, whatever model they hold. All numbers are
little-endian: settings, dictionary, input matrix, output matrix.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import VectorFileError
from foretext.vectors.formats.table import (
    ReadOptions,
    Rows,
    VectorTable,
    encoded_words,
    first_not_finite,
    open_input,
    open_output,
)
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.subword_vectors import SubwordVectors

__all__ = [
    "BLOCK_ROWS",
    "CODES",
    "DICTIONARY",
    "ENTRY",
    "LABEL",
    "LONGEST_NGRAM",
    "MAGIC",
    "PRUNED",
    "QUANTIZER",
    "SETTINGS",
    "SHAPE",
    "SUPERVISED",
    "VERSION",
    "WORD",
    "Settings",
    "Source",
    "read",
    "read_settings",
    "write",
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

SETTINGS = struct.Struct("<12id")
DICTIONARY = struct.Struct("<3i2q")  # entries, words, labels; tokens, pruned buckets
ENTRY = struct.Struct("<qb")  # count, kind; the word and a zero byte stand before them
SHAPE = struct.Struct("<2q")
PRUNED = struct.Struct("<2i")  # a bucket that is kept, and its row behind those of the words
CODES = struct.Struct("<2qi")  # quantised: rows, numbers of a row, bytes of codes
QUANTIZER = struct.Struct("<4i")  # numbers of a row, parts, numbers of a part, and of the last one


def read(path: Path, options: ReadOptions) -> VectorTable:
    """Read `path`.

    Raises:
        VectorFileError: another version, a quantised model, or a damaged file.
    """
    with open_input(path) as file:
        source = Source(file, path)
        settings = read_settings(source)
        words, counts = _read_dictionary(source)
        if source.take(1) != b"\0":
            raise VectorFileError(
                f"{path} is quantised (.ftz); load the .bin file that it was made from."
            )
        rows = Rows(path, settings.dim, options, "word", first=1)
        subwords = _read_input(source, settings, words, rows)
        source.take(1)
        for _ in source.matrix(source.shape(settings.dim), settings.dim):
            pass  # the output matrix, to see that the file is whole
    table = rows.table()
    first = {word: row for row, word in reversed(list(enumerate(rows.words)))}
    counts = counts[[first[word] for word in table.words]]
    vectors = table.vectors
    if subwords is not None:
        with np.errstate(over="ignore"):
            vectors = subwords.word_vectors(table.words, vectors)
        if first_not_finite(vectors) is not None:
            raise source.damaged("the sum of its n-grams' vectors is infinite for some words")
    return VectorTable(table.words, vectors, counts, subwords)


def write(path: Path, table: VectorTable) -> None:
    """Write `path`; words must hold no blank, tab, line end or zero byte."""
    encoded = encoded_words(table.words, path, forbidden=" \t\v\f\r\n\0")
    num_words, dim = table.vectors.shape
    subwords = table.subwords
    ngrams = CharacterNgrams(0, 0, 0) if subwords is None else subwords.ngrams
    counts = np.ones(num_words, np.int64) if table.counts is None else np.maximum(table.counts, 1)
    settings = Settings(dim, bucket=ngrams.bucket, minn=ngrams.minn, maxn=ngrams.maxn)
    with open_output(path) as file:
        file.write(struct.pack("<2i", MAGIC, VERSION) + SETTINGS.pack(*settings))
        file.write(DICTIONARY.pack(num_words, num_words, 0, int(counts.sum()), -1))
        for word, count in zip(encoded, counts.tolist(), strict=True):
            file.write(word + b"\0" + ENTRY.pack(count, WORD))
        file.write(b"\0" + SHAPE.pack(num_words + ngrams.bucket, dim))
        for block in _input_rows(table):
            file.write(np.ascontiguousarray(block, "<f4").tobytes())
        file.write(b"\0" + SHAPE.pack(num_words, dim))
        for start in range(0, num_words, BLOCK_ROWS):
            file.write(bytes(4 * dim * min(BLOCK_ROWS, num_words - start)))


def _read_dictionary(source: Source) -> tuple[list[bytes], NDArray[np.int64]]:
    """Return the words and their counts; labels, which stand behind them, are left out."""
    size, num_words, num_labels, _, num_pruned = DICTIONARY.unpack(source.take(DICTIONARY.size))
    if not 0 < num_words <= size == num_words + num_labels:
        raise source.damaged(f"{num_words} words and {num_labels} labels are not {size} entries")
    source.expect(size * ENTRY.size)
    words, counts = [], np.zeros(num_words, np.int64)
    for entry in range(size):
        word = source.take_until_zero()
        count, kind = ENTRY.unpack(source.take(ENTRY.size))
        if (kind == WORD) != (entry < num_words):
            raise source.damaged(f"entry {entry + 1} of the dictionary is not of the kind it must")
        if count < 0:
            raise source.damaged(f"entry {entry + 1} of the dictionary occurs {count} times")
        if kind == WORD:
            words.append(word)
            counts[entry] = count
    source.take(8 * max(num_pruned, 0))
    return words, counts


def _read_input(
    source: Source, settings: Settings, words: list[bytes], rows: Rows
) -> SubwordVectors | None:
    """Add the words' own rows to `rows`; return the n-grams' where there are any."""
    num_rows = source.shape(settings.dim)
    buckets = settings.bucket if settings.maxn > 0 else 0
    if num_rows < len(words) + buckets:
        raise source.damaged(f"{num_rows} rows are too few for {len(words)} words")
    if buckets and num_rows > len(words) + buckets:
        raise source.damaged(f"{num_rows} rows are too many for {len(words)} words")
    added = 0
    for block in source.matrix(len(words), settings.dim):
        if not rows.full:
            rows.add(words[added : added + len(block)], block)
        added += len(block)
    if not buckets:
        for _ in source.matrix(num_rows - len(words), settings.dim):
            pass  # word n-grams of a supervised model
        return None
    numbers, vectors = _learned_rows(source, settings)
    ngrams = CharacterNgrams(max(settings.minn, 0), settings.maxn, buckets)
    return SubwordVectors(ngrams, numbers, np.arange(len(numbers), dtype=np.int32), vectors)


def _learned_rows(
    source: Source, settings: Settings
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the numbers and vectors of rows that are not zero."""
    vectors = np.empty((settings.bucket, settings.dim), np.float32)  # what is not written costs 0
    numbers = np.empty(settings.bucket, np.int64)
    kept = first = 0
    for block in source.matrix(settings.bucket, settings.dim):
        if first_not_finite(block) is not None:
            raise source.damaged("a vector of its n-grams holds NaN or an infinity")
        found = np.flatnonzero(block.any(axis=1))
        numbers[kept : kept + len(found)] = found + first
        vectors[kept : kept + len(found)] = block[found]
        kept += len(found)
        first += len(block)
    return numbers[:kept], vectors[:kept]


def _input_rows(table: VectorTable) -> Iterator[NDArray[np.float32]]:
    """Yield the rows of words, then those of all buckets, in blocks."""
    words, vectors, _, subwords = table
    for start in range(0, len(words), BLOCK_ROWS):
        block = vectors[start : start + BLOCK_ROWS]
        yield (
            block
            if subwords is None
            else subwords.word_rows(words[start : start + BLOCK_ROWS], block)
        )
    if subwords is None:
        return
    for start in range(0, subwords.ngrams.bucket, BLOCK_ROWS):
        end = min(start + BLOCK_ROWS, subwords.ngrams.bucket)
        first, last = np.searchsorted(subwords.buckets, (start, end))
        block = np.zeros((end - start, vectors.shape[1]), np.float32)
        block[subwords.buckets[first:last] - start] = subwords.vectors[subwords.rows[first:last]]
        yield block


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
