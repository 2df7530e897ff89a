"""A model whose values are known: each word adds a number of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from foretext.metrics import softmax
from foretext.tasks.explanation import Explained, Texts, Values

WEIGHTS = {"good": 2.0, "bad": -3.0, "fine": 1.0, "slight": 0.5}


class Bag(Explained):
    """Two labels, the sum of the weights of the words being the log-odds of "yes"."""

    title: ClassVar = "Bag of words"
    fields: ClassVar = ("text",)
    explained_by = ("occlusion",)

    def __init__(self, rows: int = 1, fields: tuple[str, ...] = ("text",)) -> None:
        self.rows = rows
        self.fields = fields  # type: ignore[misc]
        self.asked: list[Texts] = []

    def num_rows(self, inputs: Sequence[Texts]) -> list[int]:
        return [self.rows] * len(inputs)

    def values(self, inputs: Sequence[Texts]) -> Values:
        self.asked += inputs
        sums = [
            sum(WEIGHTS.get(word, 0.0) for text in texts for word in text.split())
            for texts in inputs
        ]
        logits = np.array([[-each / 2, each / 2] for each in sums]).reshape(-1, 2)
        return Values(("no", "yes"), 2 * logits, softmax(logits))
