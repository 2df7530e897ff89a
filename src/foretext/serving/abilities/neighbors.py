"""The words, or documents, that are nearest to one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability

__all__ = ["Neighbors", "NeighborsOptions"]


class NeighborsOptions(NamedTuple):
    """What a request wants of each word."""

    k: int = 10  # neighbours of a word


class Neighbors(Ability):
    """A word becomes ``{neighbour: cosine}``, the nearest first."""

    name: ClassVar[str] = "neighbors"

    def run(self, items: Sequence[str], options: Hashable) -> list[dict[str, float]]:
        """Return the neighbours of each word; see `Ability.run`."""
        assert isinstance(options, NeighborsOptions)
        found: Any = self.model.neighbors(list(items), options.k)
        return [dict(near) for near in found]
