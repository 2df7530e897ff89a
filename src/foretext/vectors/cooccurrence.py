"""How often words stand near each other: the matrix X of GloVe, as files that stay with a run.

Pennington et al. 2014, "GloVe: Global Vectors for Word Representation", section 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from foretext.errors import OutputError

if TYPE_CHECKING:
    from foretext.vectors.row_runs import Piece

__all__ = ["Cooccurrence", "CooccurrenceWriter", "is_counted"]


@dataclass(frozen=True, eq=False)
class Cooccurrence:
    """The cells that are not zero, row by row, in the order of their columns; memory-mapped."""

    row_starts: np.ndarray  # (V + 1,) int64, indices into the cells
    columns: np.ndarray  # (N,) uint16 or uint32, word ids
    counts: np.ndarray  # (N,) float32

    @classmethod
    def open(cls, folder: Path) -> Cooccurrence:
        """Map the files of a folder into memory.

        Raises:
            OutputError: a file is missing or not as long as it was written.
        """
        meta = _read_meta(folder)
        return cls(
            _map(folder / "row_starts.bin", "int64", meta["vocab_size"] + 1),
            _map(folder / "columns.bin", meta["dtype"], meta["num_cells"]),
            _map(folder / "counts.bin", "float32", meta["num_cells"]),
        )

    @property
    def num_cells(self) -> int:
        """Length of `columns`."""
        return len(self.columns)

    @property
    def vocab_size(self) -> int:
        """Rows, of which row 0, of unknown words, is empty."""
        return len(self.row_starts) - 1


class CooccurrenceWriter:
    """Writes the files that are kept."""

    def __init__(self, folder: Path, vocab_size: int, unit: int) -> None:
        self.folder = folder
        self.vocab_size = vocab_size
        self.unit = unit
        self.dtype = np.uint16 if vocab_size <= 1 << 16 else np.uint32
        self.num_cells = 0

    def __enter__(self) -> Self:
        names = ("row_starts.bin", "columns.bin", "counts.bin")
        self._files = [(self.folder / name).open("wb") for name in names]
        self._files[0].write(np.zeros(1, np.int64).data)
        return self

    def append_all(self, pieces: Iterable[Piece]) -> None:
        """Write pieces, in order; sums of units become counts."""
        row_starts, columns, counts = self._files
        for piece in pieces:
            row_starts.write((self.num_cells + piece.ends).data)
            columns.write(piece.columns.astype(self.dtype).data)
            counts.write((piece.totals / self.unit).astype(np.float32).data)
            self.num_cells += len(piece.columns)

    def write_meta(self, fingerprint: str) -> None:
        """Say what the files hold."""
        meta = {
            "fingerprint": fingerprint,
            "vocab_size": self.vocab_size,
            "num_cells": self.num_cells,
            "dtype": np.dtype(self.dtype).name,
        }
        (self.folder / "meta.json").write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for file in self._files:
            file.close()


def is_counted(folder: Path, fingerprint: str) -> bool:
    """Whether the folder holds counts of this fingerprint.

    Raises:
        OutputError: it holds something else than counts.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return False
    return bool(_read_meta(folder)["fingerprint"] == fingerprint)


def _read_meta(folder: Path) -> dict[str, Any]:
    path = folder / "meta.json"
    try:
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OutputError(
            f"{folder} holds no co-occurrence counts: {path} cannot be read; "
            "choose another folder, or delete this one."
        ) from error
    return meta


def _map(path: Path, dtype: str, length: int) -> np.ndarray:
    wanted = length * np.dtype(dtype).itemsize
    size = path.stat().st_size if path.is_file() else 0
    if size != wanted:
        raise OutputError(
            f"{path} is damaged: it has {size:,} bytes instead of {wanted:,}; delete its folder, "
            "and the pairs are counted anew."
        )
    if length == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, mode="r", shape=(length,))
