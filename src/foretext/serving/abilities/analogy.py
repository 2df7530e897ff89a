"""Words that are to one word what a second word is to a third one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar, NamedTuple

from foretext.serving.ability import Ability

__all__ = ["Analogy", "AnalogyOptions"]


class AnalogyOptions(NamedTuple):
    """What a request wants of each analogy."""

    k: int = 5  # answers


class Analogy(Ability):
    """Words (a, b, c) become ``{word: cosine}``: what is to c as b is to a, the best first."""

    name: ClassVar[str] = "analogy"

    def run(
        self, items: Sequence[tuple[str, str, str]], options: Hashable
    ) -> list[dict[str, float]]:
        """Return the answers to each analogy; see `Ability.run`."""
        assert isinstance(options, AnalogyOptions)
        return [dict(self.model.analogy(*words, options.k)) for words in items]
