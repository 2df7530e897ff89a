"""Which rows replicas send each other after a round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.vectors.replicas.shared_arrays import Arrays
from foretext.vectors.replicas.tiers import ROUNDS, Rows

__all__ = ["Exchange", "Part"]

Part = dict[str, np.ndarray]  # some rows of each matrix, flat float32
LAST = ROUNDS - 1  # after which all rows are due


class Exchange(NamedTuple):
    """Rows that are due after a round fall into as many parts as there are replicas."""

    rows: dict[str, Rows]  # of each matrix
    replicas: int

    def parts(self, weights: Arrays, round_number: int = LAST) -> list[Part]:
        """Return the rows of each replica's part, as views."""
        return [
            {name: weights[name][each] for name, each in self._places(round_number, number).items()}
            for number in range(self.replicas)
        ]

    def put(self, weights: Arrays, number: int, part: Part, round_number: int = LAST) -> None:
        """Write the part of a replica to where it belongs."""
        for name, place in self._places(round_number, number).items():
            weights[name][place] = part[name]

    def _places(self, round_number: int, number: int) -> dict[str, slice]:
        places = {}
        for name, rows in self.rows.items():
            first, last = rows.due(round_number, number, self.replicas)
            places[name] = slice(first * rows.stride, last * rows.stride)
        return places
