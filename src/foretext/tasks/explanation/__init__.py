"""Which words decided on an answer: words with weights, and how they are found."""

from __future__ import annotations

from foretext.tasks.explanation.explained import MOST, ExplainedWord, Explanation, Method, explain
from foretext.tasks.explanation.words import (
    Place,
    Texts,
    Values,
    Weighed,
    WeighRequest,
    contrasted,
    log_odds,
    split_chinese,
    summed,
)

__all__ = [
    "MOST",
    "ExplainedWord",
    "Explanation",
    "Method",
    "Place",
    "Texts",
    "Values",
    "WeighRequest",
    "Weighed",
    "contrasted",
    "explain",
    "log_odds",
    "split_chinese",
    "summed",
]
