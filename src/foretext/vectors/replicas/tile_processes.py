"""GloVe's rounds of tiles, learned by several processes of a machine."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import numpy as np

from foretext.progress.run_context import RunContext
from foretext.vectors.glove_weights import GloveWeights
from foretext.vectors.replicas.attempts import TRIES, too_many_lost
from foretext.vectors.replicas.processes import LocalProcesses, ProcessLostError
from foretext.vectors.replicas.tile_part import TilePlan, learn_tiles, tile_slots
from foretext.vectors.tiles import Tiles

__all__ = ["TileProcesses"]


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
            "foretext.vectors.replicas.tile_part:tile_part_of_process",
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
