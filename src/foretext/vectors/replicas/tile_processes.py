"""GloVe's rounds of tiles, learned by several processes of a machine.

One process's part of GloVe's training: it learns tiles in weights that all processes share. The
tiles of a round share no rows and no columns, so that processes need not merge anything: they end
in the bits that one process alone would have ended in. Before a thread learns a tile it keeps a
copy of the two blocks that the tile changes. So what a process that was killed has left undone
can be undone as well, and be learned by another one.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from foretext.base.errors import CorpusError
from foretext.base.parsing import map_array
from foretext.base.runtime import Threads
from foretext.kernels.glove import CELL_TYPES, Cells, Parameters, train_tiles
from foretext.kernels.simd import LANES
from foretext.progress.run_context import RunContext
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.replicas.local_group import LocalProcesses, ProcessLostError, SharedArrays
from foretext.vectors.replicas.training import TRIES, too_many_lost
from foretext.vectors.tiles import Tiles

__all__ = ["Slot", "TilePlan", "TileProcesses", "learn_tiles", "tile_part_of_process", "tile_slots"]


class TileProcesses:
    """Learns rounds of tiles in weights that all processes see.

    Args:
        weights: what learns; its arrays move to shared memory.
        tiles: what it learns from; they are in files.
        losses: (tiles,) float64, of each tile when it was last learned.
        processes: their number.
        threads: of a process.
        rate: of learning.
        context: logs that a process has ended.
    """

    def __init__(
        self,
        weights: GloveWeights,
        tiles: Tiles,
        losses: np.ndarray,
        *,
        processes: int,
        threads: int,
        rate: float,
        context: RunContext,
    ) -> None:
        parameters = weights.parameters
        self.weights, self.tiles, self.losses = weights, tiles, losses
        self.context = context
        self.plan = TilePlan(
            str(tiles.folder.absolute()),
            tiles.num_cells,
            len(parameters.words) // (2 * parameters.stride),
            parameters.stride,
            tiles.blocks,
            processes,
            threads,
            rate,
        )
        self._memory = self.plan.memory()
        self._shared = self._memory.arrays
        self._shared["block_starts"][:] = parameters.block_starts
        self._shared["tile_starts"][:] = tiles.cells.tile_starts
        for name, array in weights.arrays.items():
            self._shared[name][:] = array
        weights.learn_in({name: self._shared[name] for name in weights.arrays})
        self._slots = tile_slots(self.plan, self._shared)
        self._processes = LocalProcesses(
            "foretext.vectors.replicas.tile_processes:tile_part_of_process",
            lambda number: [list(self.plan), number, self._memory.descriptor],
            processes,
            [self._memory.descriptor],
        )
        self._lost = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._processes.__exit__(kind, error, traceback)
        self._memory.close()

    def learn(self, tiles: np.ndarray) -> None:
        """Learn a round of tiles; what a process has not learned is learned here.

        Raises:
            OutputError: processes end again and again; the weights are those before the round.
        """
        self._start()
        shares = [tiles[slot :: len(self._slots)].tolist() for slot in range(len(self._slots))]
        self._shared["states"][:] = 0
        threads = self.plan.threads
        try:
            self._processes.ask_each(
                "learn",
                [[shares[at : at + threads]] for at in range(0, len(shares), threads)],
            )
        except ProcessLostError as lost:
            self._tell(lost)
            self._finish(shares)
        self.losses[tiles] = self._shared["losses"][tiles]

    def _start(self) -> None:
        """Have all processes there, between two rounds."""
        is_whole = False
        while not is_whole:
            if self._lost == TRIES:
                raise too_many_lost()
            try:
                self._processes.restart()
                is_whole = True
            except ProcessLostError as lost:
                self._tell(lost)

    def _finish(self, shares: list[list[int]]) -> None:
        """Learn what is left of the shares, after undoing what was only begun."""
        parameters = self.weights.parameters
        for slot, share in zip(self._slots, shares, strict=True):
            slot.undo(parameters)
            left = share[int(slot.state[1]) :]
            learn_tiles(self.tiles.cells, parameters, left, self.plan.rate, self._shared["losses"])

    def _tell(self, lost: ProcessLostError) -> None:
        """Log that a process has ended, and count it."""
        self._lost += 1
        self.context.note(f"{lost}; its tiles are learned by another one")


class TilePlan(NamedTuple):
    """Plain values that a process needs to find cells and weights."""

    folder: str  # of the cells
    num_cells: int
    num_words: int
    stride: int
    blocks: int
    processes: int
    threads: int  # of a process
    rate: float

    def memory(self, descriptor: int | None = None) -> SharedArrays:
        """Make or open the memory: weights, tiles with their losses, and what is being learned."""
        slots, block = self.processes * self.threads, -(-self.num_words // self.blocks)
        sizes = {
            "words": ("f4", self.num_words * 2 * self.stride),
            "contexts": ("f4", self.num_words * 2 * self.stride),
            "block_starts": ("i8", self.blocks + 1),
            "tile_starts": ("i8", self.blocks**2 + 1),
            "losses": ("f8", self.blocks**2),
            "states": ("i8", slots * 2),
            "kept": ("f4", slots * 2 * block * 2 * self.stride),
        }
        return SharedArrays(sizes, descriptor)


class Slot(NamedTuple):
    """What one thread of one process is doing."""

    state: np.ndarray  # (2,) int64: 1 + the tile that is being learned, or 0; tiles that are done
    kept: np.ndarray  # (2, block * 2 * D) float32, the tile's blocks as they were before

    def begin(self, tile: int, parameters: Parameters) -> None:
        """Keep the blocks of a tile."""
        for kept, block in zip(self.kept, _blocks(parameters, tile), strict=True):
            kept[: len(block)] = block
        self.state[0] = tile + 1

    def finish(self) -> None:
        """Note that the tile is learned."""
        self.state[1] += 1
        self.state[0] = 0

    def undo(self, parameters: Parameters) -> None:
        """Bring back the blocks of a tile that was begun and not finished."""
        if self.state[0] > 0:
            for kept, block in zip(
                self.kept, _blocks(parameters, int(self.state[0]) - 1), strict=True
            ):
                block[:] = kept[: len(block)]
            self.state[0] = 0


class _TilePart:
    """The part of process `number`."""

    def __init__(self, plan: TilePlan, number: int, descriptor: int) -> None:
        arrays = plan.memory(descriptor).arrays
        self.cells = _opened_cells(plan, arrays["tile_starts"])
        self.parameters = Parameters(
            arrays["words"], arrays["contexts"], plan.stride, arrays["block_starts"]
        )
        self.rate, self.losses = plan.rate, arrays["losses"]
        first = number * plan.threads
        self.slots = tile_slots(plan, arrays)[first : first + plan.threads]

    def do(self, name: str, arguments: list[Any]) -> None:
        """Learn the tiles of each thread; there is nothing else to ask for."""
        assert name == "learn", name
        shares: list[list[int]] = arguments[0]
        with Threads(len(shares)) as pool:
            list(pool.map(self._learn, self.slots, shares))

    def _learn(self, slot: Slot, tiles: list[int]) -> None:
        for tile in tiles:
            slot.begin(tile, self.parameters)
            learn_tiles(self.cells, self.parameters, [tile], self.rate, self.losses)
            slot.finish()


def tile_slots(plan: TilePlan, arrays: dict[str, np.ndarray]) -> list[Slot]:
    """Return what each thread of each process is doing, process by process."""
    number = plan.processes * plan.threads
    states, kept = arrays["states"].reshape(number, 2), arrays["kept"].reshape(number, 2, -1)
    return [Slot(states[slot], kept[slot]) for slot in range(number)]


def learn_tiles(
    cells: Cells, parameters: Parameters, tiles: list[int], rate: float, losses: np.ndarray
) -> None:
    """Learn tiles, in place; losses: (blocks ** 2,), of each tile when it was last learned."""
    train_tiles(cells, parameters, np.array(tiles, np.int64), np.float32(rate), losses)


def tile_part_of_process(plan: list[Any], number: int, descriptor: int) -> _TilePart:
    """Return the part of a process that another one has started.

    Raises:
        CorpusError: the cells cannot be read.
    """
    return _TilePart(TilePlan(*plan), number, descriptor)


def _blocks(parameters: Parameters, tile: int) -> tuple[np.ndarray, np.ndarray]:
    """The records of a tile's words and of its contexts, as views."""
    starts, record = parameters.block_starts, 2 * parameters.stride
    row, column = divmod(tile, len(starts) - 1)
    words, contexts = (
        array[starts[block] * record : starts[block + 1] * record]
        for array, block in ((parameters.words, row), (parameters.contexts, column))
    )
    return words, contexts


def _opened_cells(plan: TilePlan, tile_starts: np.ndarray) -> Cells:
    """Map the files that `Tiles` has written."""
    padded = plan.num_cells + LANES
    rows, columns, logs, weights = (
        map_array(Path(plan.folder) / f"{name}.bin", dtype, padded, CorpusError)
        for name, dtype in CELL_TYPES.items()
    )
    return Cells(rows[: plan.num_cells], columns[: plan.num_cells], logs, weights, tile_starts)
