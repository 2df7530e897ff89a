"""foretext's own vector file: safetensors with the matrix, the words, and their counts if known.

``vectors`` is (V, D) float32, ``words`` the UTF-8 bytes of the words with line ends between them,
``counts`` (V,) int64. Vectors with n-grams have ``ngram_vectors`` (R, D), ``ngram_buckets`` (B,)
and ``ngram_rows`` (B,) beside them, and ``ngram_settings``: minn, maxn and the number of buckets.
To save bytes ``vectors`` may be float16, or have ``codes`` (V, D) int8 and ``scales`` (V,) float32
in its place; so may ``ngram_vectors``, with ``ngram_`` before the names.
No line of it is executed on loading, and it opens wherever safetensors does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import VectorFileError
from foretext.base.parsing import read_tensors, write_tensors
from foretext.base.parsing.tensor_file import check_tensors
from foretext.vectors.formats.fasttext_bin import LONGEST_NGRAM
from foretext.vectors.formats.table import (
    ReadOptions,
    Rows,
    VectorTable,
    encoded_words,
    first_not_finite,
    open_input,
)
from foretext.vectors.storage import StorageType, pack_vectors, unpack_vectors

if TYPE_CHECKING:
    from foretext.vectors.subword_vectors import SubwordVectors

__all__ = ["read", "write"]

_TENSORS = {"vectors": ("float32", 2), "words": ("uint8", 1)}
_COUNTS = {"counts": ("int64", 1)}
_NGRAM_TENSORS = {
    "ngram_vectors": ("float32", 2),
    "ngram_buckets": ("int64", 1),
    "ngram_rows": ("int32", 1),
    "ngram_settings": ("int64", 1),
}
_METADATA = {"format": "foretext.word_vectors", "version": "1"}


def read(path: Path, options: ReadOptions) -> VectorTable:
    """Read `path`.

    Raises:
        VectorFileError: the file is cut off, or its tensors are not those of word vectors.
    """
    tensors = _load(path)
    vectors, counts = tensors["vectors"], tensors.get("counts")
    words = tensors["words"].tobytes().split(b"\n")
    if (
        not len(vectors) == len(words) == len(words if counts is None else counts)
        or not (vectors.shape[1])
    ):
        raise VectorFileError(
            f"{path}: {len(words)} words, {len(vectors)} vectors and "
            f"{'no' if counts is None else len(counts)} counts do not go together; "
            f"write the file again."
        )
    if counts is not None and counts.min() < 0:
        raise VectorFileError(f"{path}: a count is less than 0; write the file again.")
    rows = Rows(path, vectors.shape[1], options, "row", first=1)
    rows.add(words[: options.limit], vectors[: options.limit])
    table = rows.table()._replace(subwords=_subwords(path, tensors))
    if counts is None:
        return table
    first_rows = {word: row for row, word in reversed(list(enumerate(rows.words)))}
    return table._replace(counts=counts[[first_rows[word] for word in table.words]])


def write(path: Path, table: VectorTable, dtype: StorageType = "float32") -> None:
    """Write `path`, the vectors as `dtype`; words must hold no line end.

    Raises:
        SettingError: vectors cannot be stored as `dtype`.
    """
    words = encoded_words(table.words, path, forbidden="\n")
    tensors = pack_vectors(table.vectors, dtype)
    tensors["words"] = np.frombuffer(b"\n".join(words), dtype=np.uint8)
    if table.counts is not None:
        tensors["counts"] = np.ascontiguousarray(table.counts, dtype=np.int64)
    if table.subwords is not None:
        subwords = table.subwords
        tensors |= pack_vectors(subwords.vectors, dtype, "ngram_")
        tensors["ngram_buckets"] = np.ascontiguousarray(subwords.buckets, np.int64)
        tensors["ngram_rows"] = np.ascontiguousarray(subwords.rows, np.int32)
        tensors["ngram_settings"] = np.array(subwords.ngrams, np.int64)
    write_tensors(path, tensors, _METADATA)


def _load(path: Path) -> dict[str, NDArray[Any]]:
    with open_input(path):  # a file that cannot be read has its sentence there
        tensors = read_tensors(path, VectorFileError).tensors
    tensors = unpack_vectors(unpack_vectors(tensors), "ngram_")
    expected = _TENSORS | (_COUNTS if "counts" in tensors else {})
    expected |= _NGRAM_TENSORS if "ngram_vectors" in tensors else {}
    check_tensors(path, tensors, expected, VectorFileError)
    return tensors


def _subwords(path: Path, tensors: dict[str, NDArray[Any]]) -> SubwordVectors | None:
    if "ngram_vectors" not in tensors:
        return None
    from foretext.vectors.ngrams import CharacterNgrams
    from foretext.vectors.subword_vectors import SubwordVectors

    vectors, buckets, rows, settings = (tensors[name] for name in _NGRAM_TENSORS)
    if (
        vectors.shape[1] != tensors["vectors"].shape[1]
        or buckets.shape != rows.shape
        or settings.shape != (3,)
        or not 0 <= rows.min(initial=0) <= rows.max(initial=0) < max(len(vectors), 1)
        or (np.diff(buckets) <= 0).any()
        or first_not_finite(vectors) is not None
        or not (settings[0] >= 0 and 0 <= settings[1] <= LONGEST_NGRAM)
        or not 0 <= settings[2] < 1 << 31
        or (len(buckets) and not 0 <= buckets[0] <= buckets[-1] < settings[2])
    ):
        raise VectorFileError(
            f"{path}: the tensors of its n-grams do not go together; write the file again."
        )
    return SubwordVectors(CharacterNgrams(*settings.tolist()), buckets, rows, vectors)
