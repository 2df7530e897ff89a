"""The likeliest tokens at the masks of a text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from foretext.serving.ability import Ability

__all__ = ["Fill", "FillOptions"]


class FillOptions(NamedTuple):
    """What a request wants of each mask."""

    k: int = 5  # tokens
    targets: tuple[str, ...] | None = None  # that alone are answers; None: all tokens


class Fill(Ability):
    """A text with ``[MASK]`` becomes a list of answers for each of its masks."""

    name: ClassVar[str] = "fill"

    def sample(self) -> tuple[str, FillOptions]:
        """Return a text that is a mask, which every model reads as its own."""
        return "[MASK]", FillOptions()

    def run(self, items: Sequence[str], options: Hashable) -> list[list[list[dict[str, Any]]]]:
        """Return the tokens of each mask of each text; see `Ability.run`."""
        assert isinstance(options, FillOptions)
        return [
            [
                [answer._asdict() for answer in answers]
                for answers in self.model.fill(text, options.k, targets=options.targets)
            ]
            for text in items
        ]
