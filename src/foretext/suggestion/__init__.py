"""Which texts to label next: a model's doubts, and what the labelled texts do not cover."""

from __future__ import annotations

from foretext.suggestion.suggest import suggest
from foretext.suggestion.suggestions import Suggestions

__all__ = ["Suggestions", "suggest"]
