"""What a word is, and how often one must occur, in an inspection."""

from __future__ import annotations

from typing import NamedTuple

from foretext.corpus.pre_tokenizers import PreTokenizerKind

__all__ = ["WordSettings"]


class WordSettings(NamedTuple):
    """Settings of words, as of the vocabulary of word vectors."""

    pre_tokenizer: PreTokenizerKind | None = None  # None: by the script, as a run does
    lowercase: bool = True
    min_count: int = 5
