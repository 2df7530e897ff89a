"""Which position of a text attends to which, by layer and head."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from foretext.base.errors import SettingError
from foretext.serving.ability import Ability

__all__ = ["MOST_NUMBERS", "Attention", "AttentionOptions"]

MOST_NUMBERS = 2_000_000  # of one answer, about 14 MB of JSON


class AttentionOptions(NamedTuple):
    """What a request wants of each text."""

    layer: int | None = None  # from 1; None: all


class Attention(Ability):
    """A text, or a pair of texts in one row, becomes its tokens and the weights between them."""

    name: ClassVar[str] = "attention"

    def run(self, items: Sequence[tuple[str, ...]], options: Hashable) -> list[dict[str, Any]]:
        """Return tokens and weights of each text; see `Ability.run`.

        Raises:
            SettingError: there is no such layer, or the maps are too large to be sent.
        """
        assert isinstance(options, AttentionOptions)
        return [self._maps(texts, options.layer) for texts in items]

    def _maps(self, texts: tuple[str, ...], layer: int | None) -> dict[str, Any]:
        tokens, weights = self.model.attention_maps(*texts)  # (L, H, T, T)
        if layer is not None:
            if layer > len(weights):
                raise SettingError(f"layer = {layer}: the model has {len(weights)} layers.")
            weights = weights[layer - 1 : layer]
        if weights.size > MOST_NUMBERS:
            raise SettingError(
                f"The maps of {len(tokens):,} tokens have {weights.size:,} numbers, and "
                f"{MOST_NUMBERS:,} are sent at most; ask for one layer, or give a shorter text."
            )
        return {"tokens": tokens, "layers": np.round(weights.astype(np.float64), 4).tolist()}
