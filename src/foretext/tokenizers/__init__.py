"""Text as ids."""

from __future__ import annotations

from foretext.tokenizers.vocabulary import UNKNOWN, Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["UNKNOWN", "Vocabulary", "WordTokenizer"]
