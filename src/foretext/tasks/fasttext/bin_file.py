"""Supervised models in fastText's own files, read and written: ``.bin``, and quantised ``.ftz``.

In a file the input matrix has a row for each word and each bucket. Rows of zeros, which is how
`bin_file` writes buckets that were never met, are not kept in memory: predictions are the same.

Supervised models into fastText's own files: ``.bin``, and quantised ``.ftz``. A bucket that was
never met is written as a row of zeros, which a file system that can need not store. In a
quantised file there are no rows for n-grams that were not met; the list of those that there are,
which the format has for pruned models, says so.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError, VectorFileError
from foretext.kernels.simd import aligned_zeros, padded
from foretext.tasks.fasttext.config import LOSSES, ResolvedConfig
from foretext.tasks.fasttext.dictionary import Dictionary, flaw_of
from foretext.tasks.fasttext.model import FastTextModel, OutputLayer
from foretext.tasks.fasttext.product_quantizer import CENTROIDS, ProductQuantizer
from foretext.tasks.fasttext.quantisation import QuantisedRows
from foretext.tasks.fasttext.rows import DenseRows, Rows, are_weights
from foretext.vectors.formats.fasttext_bin import (
    BLOCK_ROWS,
    CODES,
    DICTIONARY,
    ENTRY,
    LABEL,
    MAGIC,
    PRUNED,
    QUANTIZER,
    SETTINGS,
    SHAPE,
    SUPERVISED,
    VERSION,
    WORD,
    Settings,
    Source,
    read_settings,
)
from foretext.vectors.formats.table import encoded_words, open_input, open_output

__all__ = ["cutting_note", "holds_classifier", "read_model", "write_model"]

_BLANKS = " \n\r\t\v\f\0"
_ALL_BUCKETS = -1


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


def write_model(path: Path, model: FastTextModel) -> None:
    """Write a model for fastText's program; quantised rows make it what is called ``.ftz``.

    Raises:
        VectorFileError: a word or label with a blank in it, or a pruned model that is not
            quantised.
        OutputError: the file cannot be written.
    """
    dictionary = model.dictionary
    config = dictionary.config
    if model.pruned and not isinstance(model.rows, QuantisedRows):
        raise VectorFileError(
            f"{path}: fastText's program reads models without rare n-grams only when they are "
            "quantised; quantise the model, or save it as a folder."
        )
    words = encoded_words(dictionary.words, path, _BLANKS)
    labels = encoded_words(dictionary.labels, path, _BLANKS)
    with open_output(path) as file:
        file.write(struct.pack("<2i", MAGIC, VERSION) + SETTINGS.pack(*_settings(config)))
        pruned = len(model.buckets) if model.pruned else _ALL_BUCKETS
        total = int(dictionary.counts.sum() + dictionary.label_counts.sum())
        size = len(words) + len(labels)
        file.write(DICTIONARY.pack(size, len(words), len(labels), total, pruned))
        for entries, counts, kind in (
            (words, dictionary.counts, WORD),
            (labels, dictionary.label_counts, LABEL),
        ):
            for entry, count in zip(entries, counts.tolist(), strict=True):
                file.write(entry + b"\0" + ENTRY.pack(count, kind))
        if model.pruned:
            pairs = np.stack([model.buckets, np.arange(len(model.buckets))], axis=1)
            file.write(pairs.astype("<i4").tobytes())
        file.write(b"\1" if isinstance(model.rows, QuantisedRows) else b"\0")
        if isinstance(model.rows, QuantisedRows):
            _write_codes(file, model, model.rows)
        else:
            _write_rows(file, model)
        file.write(b"\0" + SHAPE.pack(len(labels), config.dim))
        file.write(np.ascontiguousarray(model.outputs, "<f4").tobytes())
        file.write(bytes(4 * config.dim * (len(labels) - len(model.outputs))))  # beside a tree


def cutting_note(model: FastTextModel) -> str | None:
    """Say how text has to be cut before fastText's program reads it; None: it cuts as we do."""
    config, form = model.dictionary.config, model.dictionary.form
    if config.pre_tokenizer == "blanks":
        return (
            "fastText's program keeps capitals: lower the text first" if config.lowercase else None
        )
    composed = ", form='NFKC'" if form == "NFKC" else ""
    how = f"PreTokenizer({config.pre_tokenizer!r}, lowercase={config.lowercase}{composed})"
    return (
        "fastText's program cuts text at blanks alone: give it words with blanks between them, as "
        f'" ".join({how}.words(text)) of foretext.corpus.pre_tokenizers does, or train with '
        'pre_tokenizer="blanks"'
    )


def _settings(config: ResolvedConfig) -> Settings:
    return Settings(
        dim=config.dim,
        epochs=config.epochs,
        min_count=config.min_count,
        negatives=config.negative,
        word_ngrams=config.word_ngrams,
        loss=LOSSES[config.loss],
        model=SUPERVISED,
        bucket=config.num_buckets,
        minn=config.minn,
        maxn=config.maxn,
    )


def _write_rows(file: BinaryIO, model: FastTextModel) -> None:
    """Write a row for each word and each bucket; what is zero is left out where a file can."""
    num_words, dim = len(model.word_rows), model.rows.dim
    num_rows = model.dictionary.num_units
    file.write(SHAPE.pack(num_rows, dim))
    numbers = np.concatenate([model.word_rows, model.bucket_rows])
    places = np.concatenate([np.arange(num_words), num_words + model.buckets])
    for start in range(0, num_rows, BLOCK_ROWS):
        end = min(start + BLOCK_ROWS, num_rows)
        first, last = np.searchsorted(places, (start, end))
        if first == last:
            file.seek(4 * dim * (end - start), os.SEEK_CUR)
            continue
        block = np.zeros((end - start, dim), "<f4")
        block[places[first:last] - start] = model.rows.take(numbers[first:last])
        file.write(block.tobytes())


def _write_codes(file: BinaryIO, model: FastTextModel, rows: QuantisedRows) -> None:
    numbers = np.concatenate([model.word_rows, model.bucket_rows])
    codes = rows.codes[numbers]
    file.write(b"\0" if rows.norm_codes is None else b"\1")
    file.write(CODES.pack(len(codes), rows.dim, codes.size) + codes.tobytes())
    _write_quantizer(file, rows.quantizer)
    if rows.norm_codes is not None and rows.norm_quantizer is not None:
        file.write(rows.norm_codes[numbers].tobytes())
        _write_quantizer(file, rows.norm_quantizer)


def _write_quantizer(file: BinaryIO, quantizer: ProductQuantizer) -> None:
    parts, dsub, dim = quantizer.num_parts, quantizer.dsub, quantizer.dim
    last = dim - (parts - 1) * dsub
    file.write(QUANTIZER.pack(dim, parts, dsub, last))
    file.write(quantizer.centroids[:-1].astype("<f4").tobytes())
    file.write(quantizer.centroids[-1, :, :last].astype("<f4").tobytes())
