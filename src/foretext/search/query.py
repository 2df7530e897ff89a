"""A query, and what each way of searching found for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.messages import message
from foretext.search.fusion import fused
from foretext.search.vector_search import best_of
from foretext.vectors.neighbors import Nearest

__all__ = ["QueryWays"]


class QueryWays(NamedTuple):
    """A query; None of a way that is not asked."""

    text: str
    vector: NDArray[np.float32] | None  # (D,), of unit length or zeros
    near: Nearest | None
    bm25: NDArray[np.float32] | None  # of every passage, (N,)
    depth: int  # results of each way

    def ranked(self) -> list[tuple[int, float]]:
        """Return passages and scores, the best first."""
        found = [] if self.near is None else [self.near]
        if self.bm25 is not None:
            best = best_of(self.bm25, self.depth)
            has_word = best.scores > 0
            found.append(Nearest(best.rows[has_word], best.scores[has_word]))
        ways = [list(zip(near.rows.tolist(), near.scores.tolist(), strict=True)) for near in found]
        return ways[0] if len(ways) == 1 else fused([[row for row, _ in way] for way in ways])

    def notes(self) -> tuple[str, ...]:
        """Return what a person should know of the results."""
        notes = []
        if self.vector is not None and not self.vector.any():
            notes.append(message("terminal.doubt.query_model"))
        if self.bm25 is not None and not self.bm25.any():
            notes.append(message("terminal.doubt.query_words"))
        return tuple(notes)
