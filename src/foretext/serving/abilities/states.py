"""A vector for each token of a text: the states of the last layer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.language_model import LanguageModel
from foretext.serving.ability import Ability

__all__ = ["States"]


class States(Ability):
    """A text becomes the states of its tokens, special ones too, (T, D)."""

    name: ClassVar[str] = "states"
    model: LanguageModel

    def run(self, items: Sequence[str], options: Hashable) -> list[NDArray[np.float32]]:
        """Return the states of each text; see `Ability.run`."""
        return [self.model.layers(text).states[-1] for text in items]
