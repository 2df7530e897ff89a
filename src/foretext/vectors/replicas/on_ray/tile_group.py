"""GloVe's rounds of tiles on the nodes of a Ray cluster.

Each member keeps the words of some neighbouring blocks and the cells of their tiles. Contexts go
round: after each round a member sends one block of them to the member before it (Gemulla et al.
2011). Rounds are a graph of calls that is given to Ray at once, and this process gets all weights
at its end. No two tiles of a round share anything, so the bits are those of one machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from foretext.base.errors import SettingError
from foretext.base.files import temporary_folder
from foretext.base.parsing import temporary_array
from foretext.base.runtime import Threads
from foretext.kernels.glove import CELL_TYPES, Cells, Parameters
from foretext.kernels.simd import LANES, aligned_zeros
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.replicas.on_ray.members import Actors, RayMembers, remote_call
from foretext.vectors.replicas.tile_processes import learn_tiles
from foretext.vectors.tiles import Tiles

__all__ = ["RayTileGroup", "TileMember", "TileSettings"]

PIECE = 1 << 22  # cells that are sent at once

TARGET = "foretext.vectors.replicas.on_ray.tile_group:TileMember"

Blocks = dict[int, np.ndarray]  # the records of some blocks of contexts, by their numbers


class RayTileGroup(RayMembers):
    """Learns rounds of tiles on as many actors as there are processes.

    Args:
        weights: what learns.
        tiles: what it learns from.
        losses: (tiles,) float64, of each tile when it was last learned.
        address: of the cluster.
        processes: number of actors.
        threads: of an actor.
        rate: of learning.

    Raises:
        SettingError: there are fewer blocks of words than processes, or no cluster answers.
        MissingExtraError: Ray is not installed.
    """

    def __init__(
        self,
        weights: GloveWeights,
        tiles: Tiles,
        losses: np.ndarray,
        *,
        address: str,
        processes: int,
        threads: int,
        rate: float,
    ) -> None:
        if processes > tiles.blocks:
            raise SettingError(
                f"GloVe cuts these words into {tiles.blocks} blocks, so {processes} processes "
                f"cannot share them; take --processes {tiles.blocks} at most."
            )
        super().__init__(address, processes, threads)
        self._weights, self._tiles, self._losses_of_tiles = weights, tiles, losses
        parameters = weights.parameters
        self._settings = TileSettings(
            parameters.block_starts, tiles.cells.tile_starts, parameters.stride, threads, rate
        )
        self._rows = [self._settings.rows(number, processes) for number in range(processes)]

    def start(self) -> None:
        """Make members that are not there, and give the words of the model to all.

        Raises:
            ForetextError: they cannot be there.
            ReplicaLostError: one was lost.
        """
        begun = {number: self._begun(number, actor) for number, actor in self._actors.items()}
        made = self._made(self._drop_lost(begun))
        self._results([self._begun(number, actor) for number, actor in made.items()])
        self._add(made)

    def learn(self, rounds: Sequence[np.ndarray]) -> None:
        """Learn neighbouring rounds of one epoch.

        Raises:
            ReplicaLostError: a node was lost; the weights are as they were.
        """
        learned: list[list[Any]] = []
        came: list[tuple[Any, ...]] = [()] * self.number
        taken = [
            remote_call(actor, "take", self._contexts(rounds[0], number))
            for number, actor in self._actors.items()
        ]
        for tiles in rounds:
            results = [
                actor.do.options(num_returns=2).remote(
                    "learn", self._own(tiles, number).tolist(), *came[number]
                )
                for number, actor in self._actors.items()
            ]
            learned.append([losses for losses, _ in results])
            came = [
                (int(self._own(tiles, after)[0] % self._tiles.blocks), results[after][1])
                for after in ((number + 1) % self.number for number in range(self.number))
            ]
        kept = self._results([remote_call(actor, "keep") for actor in self._actors.values()])
        self._results(taken)
        for tiles, losses in zip(rounds, learned, strict=True):
            self._losses_of_tiles[tiles] = np.concatenate(self._results(losses))
        self._put(kept)

    def _made(self, numbers: Sequence[int]) -> Actors:
        """Make members, each with the cells of its tiles."""
        settings = self._cluster.ray.put(tuple(self._settings))
        actors = self._opened(numbers, TARGET, settings, self.number)
        for number, actor in actors.items():
            for name, first, piece in self._pieces(number):
                self._results([remote_call(actor, "receive", name, first, piece)])
        return actors

    def _pieces(self, number: int) -> Iterator[tuple[str, int, np.ndarray]]:
        """Yield the cells of a member: an array, a place in it, and what stands there."""
        own = self._settings.cells(self._rows[number])
        for name in CELL_TYPES:
            cells = getattr(self._tiles.cells, name)
            for first in range(own.start, own.stop, PIECE):
                yield name, first - own.start, cells[first : min(first + PIECE, own.stop)]

    def _begun(self, number: int, actor: Any) -> Any:
        words = self._weights.arrays["words"][self._settings.records(self._rows[number])]
        return remote_call(actor, "begin", words)

    def _contexts(self, tiles: np.ndarray, number: int) -> dict[int, np.ndarray]:
        """Return the blocks of contexts that a member needs in a round."""
        contexts, settings = self._weights.arrays["contexts"], self._settings
        columns = (self._own(tiles, number) % self._tiles.blocks).tolist()
        return {block: contexts[settings.block(block)] for block in columns}

    def _own(self, tiles: np.ndarray, number: int) -> np.ndarray:
        """Return a member's tiles of a round."""
        rows = self._rows[number]
        return tiles[rows.start : rows.stop]

    def _put(self, kept: Sequence[tuple[np.ndarray, dict[int, np.ndarray]]]) -> None:
        """Write what all members have learned to the weights."""
        arrays, settings = self._weights.arrays, self._settings
        for rows, (words, contexts) in zip(self._rows, kept, strict=True):
            arrays["words"][settings.records(rows)] = words
            for block, records in contexts.items():
                arrays["contexts"][settings.block(block)] = records


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
