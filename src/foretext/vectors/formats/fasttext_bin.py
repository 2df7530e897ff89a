"""fastText's binary model (``.bin``, version 12): settings, dictionary, input and output matrix.

All numbers are little-endian. The input matrix has a row for each word and one for each bucket of
n-grams. Of buckets, those are kept in memory whose row is not zero; of a supervised model, words
and their character n-grams are read, not labels and word n-grams. The output matrix, on which no
vector depends, is not read, and written as zeros; the settings of the training, which are not kept
with word vectors either, are written as fastText's defaults.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import VectorFileError
from foretext.vectors.formats.fasttext_layout import (
    BLOCK_ROWS,
    DICTIONARY,
    ENTRY,
    MAGIC,
    SETTINGS,
    SHAPE,
    VERSION,
    WORD,
    Settings,
    Source,
    read_settings,
)
from foretext.vectors.formats.streams import encoded_words, open_input, open_output
from foretext.vectors.formats.table import ReadOptions, Rows, VectorTable, first_not_finite
from foretext.vectors.ngrams import CharacterNgrams
from foretext.vectors.subword_vectors import SubwordVectors

__all__ = ["MAGIC", "read", "write"]


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
