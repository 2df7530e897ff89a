"""How relevant texts are to a query: by a matcher, or by the cosine of two vectors."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.serving.ability import Ability
from foretext.vectors.text_embedding import shortened

__all__ = ["Rerank", "RerankOptions"]


class RerankOptions(NamedTuple):
    """What a request wants to know of a text."""

    raw: bool = False  # a matcher's logits in place of its probabilities


class Rerank(Ability):
    """A query and a text become a score, the higher the more relevant."""

    name: ClassVar[str] = "rerank"

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._by_vectors = "embed" in model.abilities

    def run(self, items: Sequence[tuple[str, str]], options: Hashable) -> list[float]:
        """Return the score of each pair; see `Ability.run`."""
        assert isinstance(options, RerankOptions)
        if self._by_vectors:
            scores: NDArray[Any] = self._cosines(items)
        else:
            scores = self.model.relevance(items, raw=options.raw)
        return [float(score) for score in scores]

    def _cosines(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return (N,) cosines; each different text is embedded once."""
        rows = {text: row for row, text in enumerate(dict.fromkeys(t for p in pairs for t in p))}
        units = shortened(np.array(self.model.embed(list(rows))), None, normalize=True)
        firsts = units[[rows[first] for first, _ in pairs]]
        seconds = units[[rows[second] for _, second in pairs]]
        cosines: NDArray[np.float32] = (firsts * seconds).sum(1)
        return cosines
