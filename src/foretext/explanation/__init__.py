"""Which words decided on an answer: words with weights, and how they are found."""

from __future__ import annotations

from foretext.explanation.explained import MOST, Explained, Method
from foretext.explanation.explanation import ExplainedWord, Explanation
from foretext.explanation.values import Values, contrasted, log_odds
from foretext.explanation.weighed import Asked, Weighed
from foretext.explanation.words import Place, Texts, split_chinese, summed

__all__ = [
    "MOST",
    "Asked",
    "Explained",
    "ExplainedWord",
    "Explanation",
    "Method",
    "Place",
    "Texts",
    "Values",
    "Weighed",
    "contrasted",
    "log_odds",
    "split_chinese",
    "summed",
]
