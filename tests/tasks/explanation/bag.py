"""A model whose values are known: each word adds a number of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from foretext.base.arguments import checked_arguments
from foretext.metrics import softmax
from foretext.tasks.explanation import MOST, Method, Texts, Values, Weighed, WeighRequest, explain
from foretext.tasks.explanation.words import split_words

WEIGHTS = {"good": 2.0, "bad": -3.0, "fine": 1.0, "slight": 0.5}


class Bag:
    """Two labels, the sum of the weights of the words being the log-odds of "yes"."""

    title: ClassVar = "Bag of words"
    fields: ClassVar = ("text",)
    explained_by = ("occlusion",)

    def __init__(self, rows: int = 1, fields: tuple[str, ...] = ("text",)) -> None:
        self.rows = rows
        self.fields = fields  # type: ignore[misc]
        self.asked: list[Texts] = []

    @checked_arguments
    def explain(
        self,
        inputs: str | tuple[str, ...] | Sequence[str] | Sequence[tuple[str, ...]],
        label: str | None = None,
        *,
        method: Method = "auto",
        most: int = MOST,
    ) -> Any:
        return explain(self, inputs, label, method, most)

    def word_spans(self, text: str) -> list[tuple[int, int]]:
        return split_words(text)

    def weigh(self, asked: WeighRequest, method: str) -> list[Weighed]:
        raise NotImplementedError

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
