"""The files that static word vectors are exchanged in; a format is one module and one row here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from foretext.base.errors import SettingError, did_you_mean
from foretext.messages import message
from foretext.vectors.formats import (
    fasttext_bin,
    glove_text,
    safetensors_file,
    word2vec_binary,
    word2vec_text,
)
from foretext.vectors.formats.detection import detect_format, format_of_name
from foretext.vectors.formats.table import ReadOptions, VectorTable
from foretext.vectors.storage import StorageType

__all__ = ["FORMATS", "ReadOptions", "VectorFormat", "VectorTable", "read_table", "write_table"]


class VectorFormat(NamedTuple):
    """How one format is read and written."""

    read: Callable[[Path, ReadOptions], VectorTable]
    write: Callable[[Path, VectorTable], None]


FORMATS = {
    "word2vec": VectorFormat(word2vec_text.read, word2vec_text.write),
    "word2vec-bin": VectorFormat(word2vec_binary.read, word2vec_binary.write),
    "glove": VectorFormat(glove_text.read, glove_text.write),
    "fasttext": VectorFormat(fasttext_bin.read, fasttext_bin.write),
    "safetensors": VectorFormat(safetensors_file.read, safetensors_file.write),
}


def read_table(path: Path, format: str | None, options: ReadOptions) -> VectorTable:
    """Read a vector file; its format is found by its content where `format` is None.

    Raises:
        VectorFileError: the file is damaged, or is no vector file.
        SettingError: no format has that name.
    """
    return _format(format or detect_format(path)).read(path, options)


def write_table(
    path: Path, format: str | None, table: VectorTable, dtype: StorageType = "float32"
) -> None:
    """Write a vector file; its format is that of its name where `format` is None.

    Raises:
        VectorFileError: the vectors are not finite, or a word does not fit the format.
        SettingError: no format has that name, the file's name stands for none, or the format does
            not hold `dtype`.
        OutputError: the file cannot be written.
    """
    name = format or format_of_name(path)
    if format is None and name == "word2vec-bin" and table.subwords is not None:
        name = "fasttext"  # both are called .bin
    if name is None:
        raise SettingError(message("files.vectors.no_format", path=path, names=", ".join(FORMATS)))
    chosen = _format(name)
    if dtype == "float32":
        chosen.write(path, table)
    elif name == "safetensors":
        safetensors_file.write(path, table, dtype)
    else:
        raise SettingError(
            f"dtype = '{dtype}': of the formats only safetensors holds other numbers than float32, "
            f"and {path} is to be {name}; let its name end in .safetensors."
        )


def _format(name: str) -> VectorFormat:
    if name not in FORMATS:
        hint = did_you_mean(name, FORMATS) or f" There are: {', '.join(FORMATS)}."
        raise SettingError(f"format = '{name}': there is no such format of vector files.{hint}")
    return FORMATS[name]
