"""Words and their neighbours as points of a plane."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

from foretext.serving.ability import Ability
from foretext.vectors.word_map import WordPoint, word_map

__all__ = ["Map", "MapOptions"]


class MapOptions(NamedTuple):
    """What a request wants beside its words."""

    neighbors: int = 0  # of each word


class Map(Ability):
    """Some words, a tuple, become the points of one map."""

    name: ClassVar[str] = "map"

    def run(self, items: Sequence[tuple[str, ...]], options: Hashable) -> list[list[WordPoint]]:
        """Return the points of each map; see `Ability.run`."""
        assert isinstance(options, MapOptions)
        return [word_map(self.model, words, options.neighbors) for words in items]
