"""A text cut into cycles, rounds and pieces: a piece is what one thread learns in one round."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np

from foretext.vectors.replicas.tiers import ROUNDS
from foretext.vectors.slices import SMALLEST_SLICE, Slices

__all__ = ["Pieces"]

FEWEST_CYCLES = 6  # in a small text, so that rare words are merged now and then
SEED_STEP = 0x85EBCA6B  # odd and large: no piece has the seed of another one


class Pieces(NamedTuple):
    """The pieces of a text, in its order: of cycle, round, process and thread."""

    slices: Slices  # a piece each
    cycles: Slices  # a cycle each
    processes: int
    threads: int  # of a process

    @classmethod
    def of(cls, slices: Slices, processes: int, threads: int, sync_words: int) -> Self:
        """Cut the sentences of `slices` into cycles of as many pieces of about the same length.

        Cycles do not depend on threads, so that a run can be resumed with more or less of them.
        """
        parts = ROUNDS * processes  # of a cycle, for a process and a round each
        fewest = min(FEWEST_CYCLES, slices.num_tokens // (parts * SMALLEST_SLICE))
        num_cycles = max(-(-slices.num_tokens // (parts * sync_words)), fewest, 1)
        number = num_cycles * parts * threads
        wanted = slices.num_tokens * np.arange(number + 1) // number
        firsts = np.searchsorted(slices.sentence_starts, wanted)
        return cls(
            replace(slices, firsts=firsts),
            replace(slices, firsts=firsts[:: parts * threads]),
            processes,
            threads,
        )

    @property
    def num_rounds(self) -> int:
        """Rounds of the text, with the parts of each process counted one by one."""
        return len(self.cycles) * ROUNDS * self.processes

    def place(self, round_number: int, process: int, thread: int) -> int:
        """Return the number of a piece within its cycle."""
        return (round_number * self.processes + process) * self.threads + thread

    def number(self, cycle: int, place: int) -> int:
        """Return the number of a piece within the text."""
        return cycle * ROUNDS * self.processes * self.threads + place

    def rates(self, place: int, rates: tuple[float, float]) -> tuple[float, float]:
        """Return the learning rates at both ends of a piece, from those of its cycle."""
        together = ROUNDS * self.processes * self.threads
        start, stop = rates
        before, after = ((place + step) / together for step in (0, 1))
        return start + (stop - start) * before, start + (stop - start) * after

    def seed(self, place: int, seed: int) -> int:
        """Return the seed of a piece, from that of its cycle."""
        return (seed + SEED_STEP * (place + 1)) % 2**32
