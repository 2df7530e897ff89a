"""Which words of a source each word of an output looks at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from foretext.serving.ability import Ability

__all__ = ["Alignment"]


class Alignment(Ability):
    """(source, output) becomes the words of both, and a row of weights for each of the output's."""

    name: ClassVar[str] = "alignment"

    def run(self, items: Sequence[tuple[str, str]], options: Hashable) -> list[dict[str, Any]]:
        """Return the alignment of each pair; see `Ability.run`. There are no options."""
        found = (self.model.alignment(source, output) for source, output in items)
        return [
            {
                "source_tokens": each.source,
                "target_tokens": each.output,
                "weights": each.weights.round(4).tolist(),
                "layer": each.layer,
            }
            for each in found
        ]
