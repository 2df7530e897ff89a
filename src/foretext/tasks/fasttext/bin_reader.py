"""Supervised models out of fastText's own files: ``.bin``, and quantised ``.ftz``.

In a file the input matrix has a row for each word and each bucket. Rows of zeros, which is how
`bin_writer` writes buckets that were never met, are not kept in memory: predictions are the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError, VectorFileError
from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.config import LOSSES, ResolvedConfig
from foretext.tasks.fasttext.dictionary import Dictionary, flaw_of
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.output_layer import OutputLayer
from foretext.tasks.fasttext.product_quantizer import CENTROIDS, ProductQuantizer
from foretext.tasks.fasttext.quantisation import QuantisedRows
from foretext.tasks.fasttext.rows import DenseRows, Rows, are_weights
from foretext.vectors.formats.fasttext_bin import (
    CODES,
    DICTIONARY,
    ENTRY,
    LABEL,
    MAGIC,
    PRUNED,
    QUANTIZER,
    SUPERVISED,
    WORD,
    Settings,
    Source,
    read_settings,
)
from foretext.vectors.formats.table import open_input

__all__ = ["holds_classifier", "read_model"]


def holds_classifier(path: Path) -> bool:
    """Whether a file is a supervised model of fastText's program, by its first bytes.

    Raises:
        VectorFileError: it is another version, or damaged.
    """
    with open_input(path) as file:
        if file.read(4) != MAGIC.to_bytes(4, "little"):
            return False
        file.seek(0)
        return read_settings(Source(file, path)).model == SUPERVISED


def read_model(path: Path) -> FastTextModel:
    """Read a supervised model, quantised or not.

    Raises:
        VectorFileError: word vectors, another version, or a damaged file.
    """
    with open_input(path) as file:
        source = Source(file, path)
        settings = read_settings(source)
        if settings.model != SUPERVISED:
            raise VectorFileError(
                f"{path} holds word vectors and no classifier; open it with foretext.load."
            )
        dictionary, pruned = _read_dictionary(source, settings)
        quantised = source.take(1) != b"\0"
        num_words = len(dictionary)
        num_buckets = dictionary.config.num_buckets if pruned is None else len(pruned)
        rows: Rows
        if quantised:
            rows = _read_codes(source, num_words + num_buckets, settings.dim)
            buckets, bucket_rows = _numbered(dictionary, pruned)
        elif pruned is None:
            rows, numbers = _read_rows(source, num_words + num_buckets, settings.dim, num_words)
            buckets = np.flatnonzero(numbers[num_words:] >= 0)
            bucket_rows = numbers[num_words + buckets]
        else:
            raise source.damaged("n-grams were left out of a model that is not quantised")
        if not 0 <= bucket_rows.min(initial=0) <= bucket_rows.max(initial=0) < max(len(rows), 1):
            raise source.damaged("an n-gram has a row that there is not")
        outputs = _read_outputs(source, dictionary, settings.dim)
    if not are_weights(outputs):
        raise source.damaged("its outputs hold NaN, an infinity or a number near it")
    word_rows = np.arange(num_words, dtype=np.int32)
    return FastTextModel(
        dictionary, word_rows, buckets, bucket_rows, rows, outputs, pruned is not None
    )


def _config(settings: Settings, source: Source) -> ResolvedConfig:
    names = {number: name for name, number in LOSSES.items()}
    if settings.loss not in names:
        raise source.damaged(f"there is no loss {settings.loss}")
    chosen: dict[str, Any] = {
        "dim": settings.dim,
        "loss": names[settings.loss],
        "word_ngrams": max(settings.word_ngrams, 1),
        "epochs": max(settings.epochs, 1),
        "min_count": max(settings.min_count, 1),
    }
    if settings.maxn > 0:
        chosen |= {"minn": max(settings.minn, 0), "maxn": settings.maxn}
    if settings.bucket > 0 and (settings.maxn > 0 or settings.word_ngrams > 1):
        chosen["bucket"] = settings.bucket
    if settings.loss == LOSSES["ns"]:
        chosen["negative"] = max(settings.negatives, 1)
    try:
        return ResolvedConfig.checked(chosen, "settings")
    except SettingError as error:
        raise source.damaged(str(error).rstrip(".")) from None


def _read_dictionary(
    source: Source, settings: Settings
) -> tuple[Dictionary, NDArray[np.int32] | None]:
    """Return words and labels, and of a pruned model the pairs (K, 2) of buckets and rows."""
    config = _config(settings, source)
    size, num_words, num_labels, _, num_pruned = DICTIONARY.unpack(source.take(DICTIONARY.size))
    if not (0 <= num_words < size == num_words + num_labels) or num_pruned > config.bucket:
        raise source.damaged(f"{num_words} words and {num_labels} labels are not {size} entries")
    source.expect(size * ENTRY.size)
    spelled: tuple[list[str], list[str]] = ([], [])
    counts: tuple[list[int], list[int]] = ([], [])
    for entry in range(size):
        word = source.take_until_zero().decode("utf-8", "backslashreplace")
        count, kind = ENTRY.unpack(source.take(ENTRY.size))
        if kind != (WORD if entry < num_words else LABEL):
            raise source.damaged(f"entry {entry + 1} of the dictionary is not of the kind it must")
        spelled[kind].append(word)
        counts[kind].append(count)
    word_counts, label_counts = (np.array(each, np.int64) for each in counts)
    if flaw := flaw_of(spelled[WORD], word_counts, spelled[LABEL], label_counts):
        raise source.damaged(flaw)
    dictionary = Dictionary(spelled[WORD], word_counts, spelled[LABEL], label_counts, config)
    if num_pruned < 0:
        return dictionary, None
    pairs = np.frombuffer(source.take(PRUNED.size * num_pruned), "<i4").reshape(-1, 2)
    pairs = pairs[np.argsort(pairs[:, 0])].astype(np.int32)
    if len(pairs) and not (0 <= pairs[0, 0] <= pairs[-1, 0] < config.num_buckets):
        raise source.damaged("a bucket is kept that there is not")
    return dictionary, pairs


def _numbered(
    dictionary: Dictionary, pruned: NDArray[np.int32] | None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the buckets of a file and where the row of each stands in it."""
    if pruned is None:
        buckets = np.arange(dictionary.config.num_buckets)
        return buckets, (len(dictionary) + buckets).astype(np.int32)
    return pruned[:, 0].astype(np.int64), len(dictionary) + pruned[:, 1]


def _read_rows(
    source: Source, num_rows: int, dim: int, needed: int
) -> tuple[DenseRows, NDArray[np.int32]]:
    """Return the first `needed` rows and those that are not zero; and the number of each, or -1."""
    found = source.shape(dim)
    if found != num_rows:
        raise source.damaged(f"{found} rows stand where {num_rows} must")
    stride = padded(dim)
    flat = aligned_zeros(num_rows, stride)  # memory that is never written costs nothing
    numbers = np.full(num_rows, -1, np.int32)
    kept = at = 0
    for block in source.matrix(num_rows, dim):
        if not are_weights(block):
            raise source.damaged("its rows hold NaN, an infinity or a number near it")
        learned = np.flatnonzero(block.any(axis=1) | (at + np.arange(len(block)) < needed))
        flat.reshape(-1, stride)[kept : kept + len(learned), :dim] = block[learned]
        numbers[at + learned] = kept + np.arange(len(learned))
        kept += len(learned)
        at += len(block)
    return DenseRows(flat[: kept * stride], dim), numbers


def _read_codes(source: Source, num_rows: int, dim: int) -> QuantisedRows:
    with_norms = source.take(1) != b"\0"
    rows, columns, size = CODES.unpack(source.take(CODES.size))
    if rows != num_rows or columns != dim or not rows <= size <= rows * dim or size % max(rows, 1):
        raise source.damaged(f"{size} codes of {rows} x {columns} numbers cannot be")
    codes = np.frombuffer(source.take(size), np.uint8).reshape(rows, size // max(rows, 1))
    quantizer = _read_quantizer(source, dim, codes.shape[1])
    if not with_norms:
        return QuantisedRows(codes, quantizer)
    norms = np.frombuffer(source.take(rows), np.uint8)
    return QuantisedRows(codes, quantizer, norms, _read_quantizer(source, 1, 1))


def _read_quantizer(source: Source, dim: int, num_parts: int) -> ProductQuantizer:
    """Centroids stand part after part; those of the last are as short as it is."""
    found, parts, dsub, last = QUANTIZER.unpack(source.take(QUANTIZER.size))
    if (
        found != dim
        or not 1 <= parts == num_parts
        or (parts - 1) * dsub + last != dim
        or not 1 <= last <= dsub <= dim
    ):
        raise source.damaged(f"{parts} parts of {dsub} numbers are not the {dim} of a row")
    flat = np.frombuffer(source.take(4 * dim * CENTROIDS), "<f4")
    centroids = np.zeros((parts, CENTROIDS, dsub), np.float32)
    whole = (parts - 1) * CENTROIDS * dsub
    centroids[:-1] = flat[:whole].reshape(parts - 1, CENTROIDS, dsub)
    centroids[-1, :, :last] = flat[whole:].reshape(CENTROIDS, last)
    if not ProductQuantizer.fits(dim, centroids):
        raise source.damaged("its centroids hold NaN, an infinity or a number near it")
    return ProductQuantizer(dim, centroids)


def _read_outputs(source: Source, dictionary: Dictionary, dim: int) -> NDArray[np.float32]:
    """Return (O, D); the program keeps a row that nothing uses beside those of a tree."""
    num_labels = len(dictionary.labels)
    if source.take(1) != b"\0":
        coded = _read_codes(source, num_labels, dim)
        outputs = coded.take(np.arange(num_labels, dtype=np.int32))
    else:
        num_rows = source.shape(dim)
        if num_rows != num_labels:
            raise source.damaged(f"{num_rows} outputs are not those of {num_labels} labels")
        outputs = np.concatenate(list(source.matrix(num_rows, dim)))
    used = OutputLayer(dictionary.config.loss, dictionary.label_counts).num_outputs
    return np.ascontiguousarray(outputs[:used])
