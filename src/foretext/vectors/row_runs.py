"""Rows of counts on their way: pieces of a matrix, spilled to disk and added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from foretext.base.errors import OutputError
from foretext.base.parsing import read_part
from foretext.corpus.blocks import map_in_order
from foretext.kernels.cooccurrence import add_runs

__all__ = ["Piece", "Run", "merge_runs", "new_piece", "pieces_of", "trimmed"]


class Piece(NamedTuple):
    """Rows that follow each other."""

    ends: np.ndarray  # (rows,) int64, where each row's cells end
    columns: np.ndarray  # (N,) int32
    totals: np.ndarray  # (N,) int64, in units


def pieces_of(most: np.ndarray, capacity: int) -> list[tuple[int, int]]:
    """Cut rows of at most so many cells each, (V,), into pieces of at most `capacity` cells."""
    ends = np.cumsum(most)
    pieces, row, before = [], 0, 0
    while row < len(most):
        end = max(int(np.searchsorted(ends, before + capacity, side="right")), row + 1)
        pieces.append((row, end))
        row, before = end, int(ends[end - 1])
    return pieces


def new_piece(rows: int, cells: int) -> Piece:
    """Room for so many rows and cells; what is not written to takes no memory."""
    return Piece(np.empty(rows, np.int64), np.empty(cells, np.int32), np.empty(cells, np.int64))


def trimmed(piece: Piece) -> Piece:
    """Let go of the room that was not needed."""
    size = piece.ends[-1]
    return Piece(piece.ends, piece.columns[:size].copy(), piece.totals[:size].copy())


class Run:
    """The rows of one part of the text, on disk; nothing of them is in memory."""

    def __init__(self, folder: Path, vocab_size: int) -> None:
        self.folder = folder
        self.vocab_size = vocab_size

    @classmethod
    def write(cls, folder: Path, vocab_size: int, pieces: Iterable[Piece]) -> Self:
        """Spill pieces, in order."""
        folder.mkdir(parents=True, exist_ok=True)
        cells = 0
        with (
            (folder / "row_starts.bin").open("wb") as row_starts,
            (folder / "columns.bin").open("wb") as columns,
            (folder / "totals.bin").open("wb") as totals,
        ):
            row_starts.write(np.zeros(1, np.int64).data)
            for piece in pieces:
                row_starts.write((cells + piece.ends).data)
                columns.write(piece.columns.data)
                totals.write(piece.totals.data)
                cells += len(piece.columns)
        return cls(folder, vocab_size)

    def sizes(self) -> np.ndarray:
        """Return the number of cells of each row, (V,)."""
        return np.diff(self._starts(0, self.vocab_size))

    def read(self, first: int, last: int) -> Piece:
        """The rows `first` to `last` - 1."""
        starts = self._starts(first, last)
        begin, size = int(starts[0]), int(starts[-1] - starts[0])
        paths = self.folder / "columns.bin", self.folder / "totals.bin"
        columns = read_part(paths[0], "int32", begin, size, OutputError)
        totals = read_part(paths[1], "int64", begin, size, OutputError)
        return Piece(starts[1:] - begin, columns, totals)

    def _starts(self, first: int, last: int) -> np.ndarray:
        """Return where the cells of some rows begin, and where those of the last one end."""
        path = self.folder / "row_starts.bin"
        return read_part(path, "int64", first, last + 1 - first, OutputError)


def merge_runs(runs: Sequence[Run], capacity: int, workers: int) -> Iterator[Piece]:
    """The rows of the whole text, at most `capacity` cells of all runs at a time and worker."""
    vocab_size = runs[0].vocab_size
    most = np.full(vocab_size, len(runs))  # where a row begins in each run takes room, too
    for run in runs:
        most += run.sizes()

    def work(rows: tuple[int, int]) -> Piece:
        return _added([run.read(*rows) for run in runs], vocab_size)

    yield from map_in_order(work, pieces_of(most, capacity), workers)


def _added(parts: list[Piece], vocab_size: int) -> Piece:
    """The sum of the same rows of several runs."""
    sizes = np.array([len(part.columns) for part in parts])
    ends = np.stack([part.ends for part in parts])  # (runs, rows)
    starts = np.pad(ends[:, :-1], ((0, 0), (1, 0)))
    offsets = (np.cumsum(sizes) - sizes)[:, None]
    columns = np.concatenate([part.columns for part in parts])
    totals = np.concatenate([part.totals for part in parts])
    piece = new_piece(ends.shape[1], len(columns))
    add_runs(starts + offsets, ends + offsets, columns, totals, vocab_size, *piece)
    return trimmed(piece)
