"""Decoded text as its script writes it: Chinese and Japanese have no blanks between words."""

from __future__ import annotations

import re

from foretext.corpus.pre_tokenizers import HAN

__all__ = ["without_blanks"]

_LETTERS = f"{HAN}\u3000-\u30ff\uff00-\uffef"  # with their punctuation, and kana
_BETWEEN = re.compile(f"(?<=[{_LETTERS}]) (?=[{_LETTERS}])")


def without_blanks(text: str) -> str:
    """Return a text without the blanks that stand between two letters of such a script.

    A decoder that joins words by blanks puts them there, not the author of the text.
    """
    return _BETWEEN.sub("", text)
