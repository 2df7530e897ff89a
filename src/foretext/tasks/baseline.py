"""What a trained task is compared with: answers that are learned in seconds from the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from foretext.tasks.answers import Answers

__all__ = ["Baseline"]


@dataclass(frozen=True)
class Baseline:
    """A baseline that has learned.

    Attributes:
        name: what it does, such as "TF-IDF and logistic regression".
        answers: to rows, of the kind that `answer_rows` of the compared model gives.
        base: the BASE that learns it as a model; None: it is no model to use.
        linear: the `LinearClassifier` that answers; None: something else does.
        seconds: that it learned.
    """

    name: str
    answers: Callable[[Sequence[Any]], Answers]
    base: str | None = None
    linear: Any = None
    seconds: float = 0.0
