"""Tokenizers: text to ids and back."""

from __future__ import annotations

from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.vocabulary import UNKNOWN, Vocabulary
from foretext.tokenizers.word_tokenizer import WordTokenizer

__all__ = ["UNKNOWN", "Tokenizer", "Vocabulary", "WordTokenizer"]
