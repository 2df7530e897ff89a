"""Passages become vectors, block by block; what a killed process has embedded stays embedded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from foretext.base.errors import ModelFileError
from foretext.base.files import open_file, output_error
from foretext.base.parsing import map_array
from foretext.messages import message
from foretext.progress import Progress
from foretext.search.building import Building
from foretext.search.embedder import Embedder
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.search.passages import Passages
from foretext.search.vector_search import StoredVectors, stored_rows, write_vectors
from foretext.vectors.storage import StorageType

__all__ = ["blocks_of", "embed_passages", "keep_vectors", "take_vectors"]

BLOCK = 1024  # passages that are embedded together, sorted by length
COPIED = 1 << 13  # rows

Check = Callable[[], None]


def blocks_of(passages: Passages, size: int = BLOCK, first: int = 0) -> Iterator[list[str]]:
    """Yield the texts of passages in blocks."""
    for start in range(first, len(passages), size):
        yield passages.texts(start, min(start + size, len(passages)))


def take_vectors(building: Building, facts: IndexFacts) -> None:
    """Take over the vectors of an index that grows.

    Raises:
        OutputError: they cannot be written.
    """
    old = StoredVectors(IndexFolder(building.path), facts)
    for start in range(0, len(old), COPIED):
        _append(building.vectors, np.asarray(old.vectors[start : start + COPIED]))


def embed_passages(
    building: Building,
    passages: Passages,
    embedder: Embedder,
    dtype: StorageType,
    *,
    check: Check,
    quiet: bool | None,
) -> None:
    """Embed the passages that are not embedded yet.

    Args:
        building: the index.
        passages: all of them.
        embedder: gives their vectors.
        dtype: that they are stored in.
        check: is called between blocks, and may raise.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        OutputError: the vectors cannot be written.
    """
    done = _num_done(building.vectors, embedder.model.vector_size * np.dtype(dtype).itemsize)
    with Progress(
        message("progress.embedding"), len(passages), "passages", initial=done, quiet=quiet
    ) as bar:
        for texts in blocks_of(passages, first=done):
            check()
            _append(building.vectors, stored_rows(embedder.embed(texts), dtype))
            bar.advance(len(texts))


def keep_vectors(building: Building, num_rows: int, dim: int, dtype: StorageType) -> None:
    """Write the vectors as the index keeps them.

    Raises:
        OutputError: they cannot be written.
    """
    rows = map_array(building.vectors, dtype, num_rows * dim, ModelFileError).reshape(num_rows, dim)
    write_vectors(building.folder.embeddings, rows)
    del rows  # Windows keeps a file that is mapped
    building.vectors.unlink()


def _num_done(path: Path, row_bytes: int) -> int:
    """Return how many rows are there; half a row, of a process that was killed, goes."""
    if not path.is_file():
        return 0
    num_rows, rest = divmod(path.stat().st_size, row_bytes)
    if rest:
        with open_file(path, "rb+") as file:
            file.truncate(num_rows * row_bytes)
    return num_rows


def _append(path: Path, rows: np.ndarray[Any, Any]) -> None:
    try:
        with open_file(path, "ab") as file:
            file.write(np.ascontiguousarray(rows).data)
    except OSError as error:
        raise output_error(path, error) from error
