"""What a trained task is compared with: answers that are learned in seconds from the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Baseline"]


@dataclass(frozen=True)
class Baseline:
    """A baseline that has learned.

    Attributes:
        name: what it does, such as "TF-IDF and logistic regression".
        figures: of rows with right answers, under the names that the task's own figures have.
        linear: the `LinearClassifier` that answers; None: something else does.
        seconds: that it learned.
    """

    name: str
    figures: Callable[[Sequence[Any]], dict[str, Any]]
    linear: Any = None
    seconds: float = 0.0
