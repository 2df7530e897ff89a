"""Supervised models into fastText's own files: ``.bin``, and quantised ``.ftz``.

A bucket that was never met is written as a row of zeros, which a file system that can need not
store. In a quantised file there are no rows for n-grams that were not met; the list of those that
there are, which the format has for pruned models, says so.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from foretext.base.errors import VectorFileError
from foretext.tasks.fasttext.config import LOSSES, ResolvedConfig
from foretext.tasks.fasttext.model import FastTextModel
from foretext.tasks.fasttext.product_quantizer import ProductQuantizer
from foretext.tasks.fasttext.quantisation import QuantisedRows
from foretext.vectors.formats.fasttext_bin import (
    BLOCK_ROWS,
    CODES,
    DICTIONARY,
    ENTRY,
    LABEL,
    MAGIC,
    QUANTIZER,
    SETTINGS,
    SHAPE,
    SUPERVISED,
    VERSION,
    WORD,
    Settings,
)
from foretext.vectors.formats.table import encoded_words, open_output

__all__ = ["cutting_note", "write_model"]

_BLANKS = " \n\r\t\v\f\0"
_ALL_BUCKETS = -1


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
