"""A part of GloVe's training on a node: the words of some blocks, with the cells of their tiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from foretext.base.files import temporary_folder
from foretext.base.parsing import temporary_array
from foretext.base.runtime import Threads
from foretext.kernels.glove import CELL_TYPES, Cells, Parameters
from foretext.kernels.simd import LANES, aligned_zeros
from foretext.vectors.replicas.tile_part import learn_tiles

__all__ = ["TARGET", "Blocks", "TileMember", "TileSettings"]

TARGET = "foretext.vectors.replicas.on_ray.tile_member:TileMember"

Blocks = dict[int, np.ndarray]  # the records of some blocks of contexts, by their numbers


class TileSettings(NamedTuple):
    """What all parts of a training have to know."""

    block_starts: np.ndarray  # (blocks + 1,) int64, the records of each block of words
    tile_starts: np.ndarray  # (blocks ** 2 + 1,) int64, the cells of each tile
    stride: int
    threads: int  # of a part
    rate: float

    @property
    def blocks(self) -> int:
        """Number of blocks, of words as of contexts."""
        return len(self.block_starts) - 1

    def rows(self, number: int, parts: int) -> range:
        """Return the blocks of words that a part keeps."""
        return range(number * self.blocks // parts, (number + 1) * self.blocks // parts)

    def cells(self, rows: range) -> slice:
        """Return the cells of all tiles of some blocks of words."""
        starts = self.tile_starts[[rows.start * self.blocks, rows.stop * self.blocks]]
        return slice(int(starts[0]), int(starts[1]))

    def records(self, blocks: range) -> slice:
        """Return where the records of neighbouring blocks are in an array of all."""
        starts = self.block_starts[[blocks.start, blocks.stop]] * 2 * self.stride
        return slice(int(starts[0]), int(starts[1]))

    def block(self, number: int) -> slice:
        """Return where the records of one block are."""
        return self.records(range(number, number + 1))


class TileMember:
    """Keeps some blocks of words; blocks of contexts come and go.

    Its arrays are as long as those of all words, so that it learns as a process that has all of
    them. What nobody writes to takes no memory.

    Args:
        settings: a `TileSettings`.
        parts: number of members.
        number: of this one.
    """

    def __init__(self, settings: tuple[Any, ...], parts: int, number: int) -> None:
        self._settings = TileSettings(*settings)
        self._rows = self._settings.rows(number, parts)
        own = self._settings.cells(self._rows)
        size = own.stop - own.start
        with temporary_folder() as folder:
            self._cells = {
                name: temporary_array(folder, dtype, size + LANES)
                for name, dtype in CELL_TYPES.items()
            }
        starts = self._settings.tile_starts - own.start
        self._tiles = Cells(
            self._cells["rows"][:size],
            self._cells["columns"][:size],
            self._cells["logs"],
            self._cells["weights"],
            starts,
        )
        num_words, stride = int(self._settings.block_starts[-1]), self._settings.stride
        self._parameters = Parameters(
            aligned_zeros(num_words, 2 * stride),
            aligned_zeros(num_words, 2 * stride),
            stride,
            self._settings.block_starts,
        )
        self._losses = np.zeros(self._settings.blocks**2)
        self._columns: list[int] = []  # whose contexts are here

    def receive(self, name: str, first: int, piece: np.ndarray) -> None:
        """Take some cells of this part, from number `first` on."""
        self._cells[name][first : first + len(piece)] = piece

    def begin(self, words: np.ndarray) -> None:
        """Take the records of this part's words."""
        self._parameters.words[self._settings.records(self._rows)] = words

    def take(self, contexts: Blocks) -> None:
        """Take blocks of contexts."""
        for block, records in contexts.items():
            self._parameters.contexts[self._settings.block(block)] = records

    def learn(
        self, tiles: list[int], came: int | None = None, records: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Learn this part's tiles of a round.

        Args:
            tiles: of its blocks of words, in their order.
            came: number of a block of contexts that is needed since this round.
            records: of that block.

        Returns:
            the loss of each tile, and the block of contexts that goes to another part now.
        """
        if came is not None and records is not None:
            self.take({came: records})
        threads = self._settings.threads
        shares = [tiles[thread::threads] for thread in range(threads)]
        with Threads(threads) as pool:
            list(pool.map(self._learn, shares))
        self._columns = [tile % self._settings.blocks for tile in tiles]
        return self._losses[tiles], self._block(self._columns[0])

    def keep(self) -> tuple[np.ndarray, Blocks]:
        """Return the words of this part, and the contexts that it learned last."""
        words = self._parameters.words[self._settings.records(self._rows)].copy()
        return words, {block: self._block(block) for block in self._columns}

    def _learn(self, tiles: list[int]) -> None:
        learn_tiles(self._tiles, self._parameters, tiles, self._settings.rate, self._losses)

    def _block(self, block: int) -> np.ndarray:
        return self._parameters.contexts[self._settings.block(block)].copy()
