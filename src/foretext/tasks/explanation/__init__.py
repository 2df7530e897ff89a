"""Which words decided on an answer: words with weights, and how they are found."""

from __future__ import annotations

from foretext.tasks.explanation.explained import MOST, Method, explain
from foretext.tasks.explanation.explanation import ExplainedWord, Explanation
from foretext.tasks.explanation.values import Values, contrasted, log_odds
from foretext.tasks.explanation.weighed import Asked, Weighed
from foretext.tasks.explanation.words import Place, Texts, split_chinese, summed

__all__ = [
    "MOST",
    "Asked",
    "ExplainedWord",
    "Explanation",
    "Method",
    "Place",
    "Texts",
    "Values",
    "Weighed",
    "contrasted",
    "explain",
    "log_odds",
    "split_chinese",
    "summed",
]
