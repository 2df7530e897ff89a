"""The co-occurrence matrix as tiles that fit the processor's cache, and the order they come in.

Tiles that share neither rows nor columns can be learned at the same time without touching each
other's numbers. An epoch is so many rounds as there are blocks; a round is one such set of tiles,
and all rounds together are all tiles. In which order a block of rows meets the blocks of columns is
drawn for each epoch. The result does not depend on which thread learns which tile of a round, or
when.

From round to round of an epoch each block of columns goes to the row before. So whoever keeps some
neighbouring blocks of rows needs one other block of columns each round (the rings of Gemulla et al.
2011, "Large-Scale Matrix Factorization with Distributed Stochastic Gradient Descent").
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from foretext.base.files import output_error
from foretext.base.parsing import new_array
from foretext.kernels.glove import CELL_TYPES, Cells, size_tiles, take_cells
from foretext.kernels.simd import LANES
from foretext.vectors.cooccurrence import Cooccurrence

__all__ = ["HeldOutCells", "Tiles", "num_blocks"]

BLOCK_BYTES = 1 << 20  # of a block's vectors and sums of squares: they are to stay in the L2 cache
FEWEST_BLOCKS = 32  # so that tiles come in many orders, and many workers have work
MOST_HELD_OUT = 50_000  # cells; more make the loss no steadier
CELL_BYTES = 12


class HeldOutCells(NamedTuple):
    """Cells that are never trained on: their mirror images are among them."""

    rows: np.ndarray  # (N,) int32, word ids
    columns: np.ndarray  # (N,) int32
    logs: np.ndarray  # (N,) float32
    weights: np.ndarray  # (N,) float32


class Tiles:
    """All cells, cut for training with one weighting function.

    Args:
        counted: the matrix.
        blocks: of words, in rows and in columns; see `num_blocks`.
        x_max, exponent: of the weighting function h(X) = min(X / x_max, 1) ** exponent.
        valid_rate: share of the cells held out, at most `MOST_HELD_OUT` of them.
        seed: of what is held out and of the order.
        memory: bytes; tiles that take more are kept in files, as long as they are used, where other
            processes can read them.
        folder: for these files.
    """

    def __init__(
        self,
        counted: Cooccurrence,
        blocks: int,
        *,
        x_max: float,
        exponent: float,
        valid_rate: float,
        seed: int,
        memory: int,
        folder: Path,
    ) -> None:
        self.blocks = blocks
        self.seed = seed
        rate = min(valid_rate, MOST_HELD_OUT / max(counted.num_cells, 1))
        threshold = np.uint64(rate * 2**32)
        sizes, num_held_out = size_tiles(
            counted.row_starts, counted.columns, blocks, seed, threshold
        )
        if num_held_out == counted.num_cells:  # by chance, of very few: nothing would be learned
            threshold, num_held_out = np.uint64(0), 0
            sizes, _ = size_tiles(counted.row_starts, counted.columns, blocks, seed, threshold)
        self.folder = folder
        self.cells = self._room(sizes, memory)
        self.held_out = HeldOutCells(
            *(np.empty(num_held_out, dtype) for dtype in ("i4", "i4", "f4", "f4"))
        )
        take_cells(
            *(counted.row_starts, counted.columns, counted.counts),
            *(blocks, seed, threshold, float(x_max), float(exponent)),
            *(self.cells, self.held_out),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def num_cells(self) -> int:
        """Cells that are trained on."""
        return len(self.cells.rows)

    def sizes(self, tiles: np.ndarray) -> int:
        """Cells of these tiles together."""
        starts = self.cells.tile_starts
        return int((starts[tiles + 1] - starts[tiles]).sum())

    def round(self, step: int) -> np.ndarray:
        """Numbers of the tiles of a step, (blocks,) int64, row by row: no two share columns."""
        epoch, number = divmod(step, self.blocks)
        columns = np.random.default_rng((self.seed, epoch)).permutation(self.blocks)
        return np.arange(self.blocks) * self.blocks + np.roll(columns, -number)

    def _room(self, sizes: np.ndarray, memory: int) -> Cells:
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        size = int(starts[-1])
        room = {
            name: np.zeros(size + LANES, dtype)
            if size * CELL_BYTES <= memory
            else self._mapped(name, size + LANES, dtype)
            for name, dtype in CELL_TYPES.items()
        }
        rows, columns = room["rows"][:size], room["columns"][:size]
        return Cells(rows, columns, room["logs"], room["weights"], starts)

    def _mapped(self, name: str, size: int, dtype: str) -> np.ndarray:
        """An array in a file; a file that an interrupted run left there is written over."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise output_error(self.folder, error) from error
        return new_array(self.folder / f"{name}.bin", dtype, size)


def num_blocks(vocab_size: int, record_bytes: int) -> int:
    """Return how many blocks of words to cut, by the bytes that a word's record takes."""
    return max(-(-vocab_size * record_bytes // BLOCK_BYTES), FEWEST_BLOCKS)
