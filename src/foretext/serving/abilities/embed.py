"""Texts as vectors, by whatever model gives one vector a text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.serving.ability import Ability
from foretext.vectors.text_embedding import shortened

__all__ = ["Embed", "EmbedOptions"]


class EmbedOptions(NamedTuple):
    """How a request wants its vectors."""

    normalize: bool | None = None  # to length 1; None: as the model does
    dim: int | None = None  # numbers to keep, the first ones; None: all


class Embed(Ability):
    """A text becomes a vector (D,), the same as by the model's own `embed`."""

    name: ClassVar[str] = "embed"

    def sample(self) -> tuple[str, EmbedOptions]:
        """Return a text of one letter."""
        return "a", EmbedOptions()

    def run(self, items: Sequence[str], options: Hashable) -> list[NDArray[np.float32]]:
        """Return the vector of each text; see `Ability.run`."""
        assert isinstance(options, EmbedOptions)
        if options.dim is None:
            found: Any = self.model.embed(items, normalize=options.normalize)
        else:
            whole = self.model.embed(items, normalize=False)
            # Vectors that were cut are not of length 1 any more, so they get it by default.
            found = shortened(whole, options.dim, normalize=options.normalize is not False)
        return list(found)
