"""Entities of a text with their places, or its tokens with their tags."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from foretext.serving.ability import Ability

__all__ = ["Tag"]


class Tag(Ability):
    """A text becomes the record of ``foretext predict --json``."""

    name: ClassVar[str] = "tag"

    def sample(self) -> tuple[str, None]:
        """Return a text of one letter."""
        return "a", None

    def run(self, items: Sequence[str], options: Hashable) -> list[dict[str, Any]]:
        """Return the record of each text; see `Ability.run`. There are no options."""
        return list(self.model.answered((text,) for text in items))
