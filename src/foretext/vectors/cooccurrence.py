"""How often words stand near each other: the matrix X of GloVe, as files that stay with a run.

Pennington et al. 2014, "GloVe: Global Vectors for Word Representation", section 3.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from foretext.base.errors import OutputError
from foretext.base.parsing import Judge, check_values, map_array, read_json

if TYPE_CHECKING:
    from foretext.vectors.row_runs import Piece

__all__ = ["Cooccurrence", "CooccurrenceMeta", "CooccurrenceWriter", "is_counted"]

FILES = ("row_starts", "columns", "counts")


class CooccurrenceMeta(BaseModel):
    """What ``meta.json`` says of the other files of its folder."""

    model_config = ConfigDict(frozen=True)

    fingerprint: str  # of ids, sentences and window
    vocab_size: Annotated[int, Field(ge=1, le=1 << 32)]
    num_cells: Annotated[int, Field(ge=0, lt=1 << 60)]
    dtype: Literal["uint16", "uint32"]  # of the columns
    checksums: dict[str, int] = {}  # CRC-32 by file; none in older folders

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read it from a folder.

        Raises:
            OutputError: the file is missing or damaged.
        """
        meta: Self = read_json(folder / "meta.json", OutputError, cls)
        return meta


@dataclass(frozen=True, eq=False)
class Cooccurrence:
    """The cells that are not zero, row by row, in the order of their columns; memory-mapped."""

    row_starts: np.ndarray  # (V + 1,) int64, indices into the cells
    columns: np.ndarray  # (N,) uint16 or uint32, word ids
    counts: np.ndarray  # (N,) float32

    @classmethod
    def open(cls, folder: str | Path, vocab_size: int | None = None) -> Cooccurrence:
        """Map the files of a folder into memory, and check every number: kernels check none.

        Args:
            folder: that `CooccurrenceWriter` filled.
            vocab_size: of the text that was counted; None: not known.

        Raises:
            OutputError: a file is missing or damaged, or of another vocabulary.
        """
        folder = Path(folder)
        meta = CooccurrenceMeta.read(folder)
        if vocab_size not in (None, meta.vocab_size):
            raise OutputError(
                f"{folder} has counts of {meta.vocab_size:,} words, but the vocabulary has "
                f"{vocab_size:,}; delete the folder and run again."
            )
        lengths = (meta.vocab_size + 1, meta.num_cells, meta.num_cells)
        arrays = [
            map_array(folder / f"{name}.bin", dtype, length, OutputError)
            for name, dtype, length in zip(
                FILES, ("int64", meta.dtype, "float32"), lengths, strict=True
            )
        ]
        found = cls(*arrays)
        judges: tuple[Judge, ...] = (
            found._problem_of_starts,
            found._problem_of_columns,
            _problem_of_counts,
        )
        for name, array, judge in zip(FILES, arrays, judges, strict=True):
            path = folder / f"{name}.bin"
            check_values(path, array, judge, OutputError, meta.checksums.get(name))
        return found

    def _problem_of_starts(self, starts: NDArray[Any]) -> str | None:
        ends = (int(self.row_starts[0]), int(self.row_starts[-1]))
        if ends != (0, self.num_cells):
            return f"it leads from {ends[0]:,} to {ends[1]:,} instead of 0 to {self.num_cells:,}"
        return None if (starts[1:] >= starts[:-1]).all() else "its numbers decrease"

    def _problem_of_columns(self, columns: NDArray[Any]) -> str | None:
        largest = int(columns.max())
        if largest < self.vocab_size:
            return None
        return f"the column {largest:,} is none of {self.vocab_size:,} words"

    def shares(self, row: int) -> NDArray[np.float64]:
        """Return P(k | i) = X_ik / X_i of each word k beside word i, (V,): section 3 of the paper.

        The ratio of the shares beside two words, P(k | i) / P(k | j), says which of them k belongs
        to; their vectors are learned so that their difference shows it.

        Args:
            row: id of the word i; ids of a `WordVectors` are one less, as row 0 is unknown words.
        """
        cells = slice(self.row_starts[row], self.row_starts[row + 1])
        counts = np.zeros(self.vocab_size)
        counts[self.columns[cells]] = self.counts[cells]
        shares: NDArray[np.float64] = counts / max(counts.sum(), 1e-12)
        return shares

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
        self._files = {name: (self.folder / f"{name}.bin").open("wb") for name in FILES}
        self._checksums = dict.fromkeys(FILES, 0)
        self._write("row_starts", np.zeros(1, np.int64))
        return self

    def append_all(self, pieces: Iterable[Piece]) -> None:
        """Write pieces, in order; sums of units become counts."""
        for piece in pieces:
            self._write("row_starts", self.num_cells + piece.ends)
            self._write("columns", piece.columns.astype(self.dtype))
            self._write("counts", (piece.totals / self.unit).astype(np.float32))
            self.num_cells += len(piece.columns)

    def _write(self, name: str, numbers: np.ndarray) -> None:
        self._files[name].write(numbers.data)
        self._checksums[name] = zlib.crc32(numbers.data, self._checksums[name])

    def write_meta(self, fingerprint: str) -> None:
        """Say what the files hold."""
        meta = {
            "fingerprint": fingerprint,
            "vocab_size": self.vocab_size,
            "num_cells": self.num_cells,
            "dtype": np.dtype(self.dtype).name,
            "checksums": self._checksums,
        }
        (self.folder / "meta.json").write_text(
            json.dumps(meta, indent=2) + "\n", encoding="utf-8", newline="\n"
        )

    def __exit__(self, *_: object) -> None:
        with ExitStack() as files:  # all are closed, even where one has no room for its last bytes
            for file in self._files.values():
                files.enter_context(file)


def is_counted(folder: Path, fingerprint: str) -> bool:
    """Whether the folder holds counts of this fingerprint.

    Raises:
        OutputError: it holds something else than counts.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return False
    if not (folder / "meta.json").is_file():
        raise OutputError(
            f"{folder} holds no co-occurrence counts, but other files; choose another folder."
        )
    return CooccurrenceMeta.read(folder).fingerprint == fingerprint


def _problem_of_counts(counts: NDArray[Any]) -> str | None:
    low, high = float(counts.min()), float(counts.max())  # either is NaN where one count is
    if low > 0 and high < np.inf:
        return None
    return f"its counts reach from {low:g} to {high:g}"
