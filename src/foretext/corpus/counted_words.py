"""The words of a text as its vocabulary would have them, fast enough to look through a corpus."""

from __future__ import annotations

import re
from typing import NamedTuple

from foretext.corpus.jieba_words import separate_words
from foretext.corpus.pre_tokenizers import PreTokenizerKind

__all__ = ["CountedWords", "WordSettings", "compared_words"]

_CJK = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u109f"
_PLAIN = re.compile(r"\w+")
_WITH_MARKS = re.compile(rf"\w+(?:[{_MARKS}]+\w*)*")
_SINGLE_HAN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:[{_MARKS}]+[^\W{_CJK}]*)*")
_HAS_MARKS = re.compile(f"[{_MARKS}]")
_HAS_MARKS_OR_HAN = re.compile(f"[{_MARKS}{_CJK}]")
_OTHERS = {
    "whitespace": re.compile(r"\S+"),
    "chinese_words": re.compile(r"\S+"),  # between jieba's spaces
    "basic_english": re.compile(r"""['.,()!?]|[^\s'.,()!?;:"]+"""),
}


class WordSettings(NamedTuple):
    """What a word is, and how often one must occur, in an inspection."""

    pre_tokenizer: PreTokenizerKind | None = None  # None: by the script, as a run does
    lowercase: bool = True
    min_count: int = 5


class CountedWords:
    """Finds the words of lines; `is_slow` where only a part of a corpus should be looked at."""

    def __init__(self, kind: PreTokenizerKind, *, lowercase: bool) -> None:
        self.kind = kind
        self.is_slow = kind == "chinese_words"
        self._lowercase = lowercase

    def documents(self, text: str) -> list[list[list[str]]]:
        """Return the words of each sentence of each document of a text in normal form."""
        if self.is_slow:
            text = separate_words(text)
        return _found(self._pattern(text), text.lower() if self._lowercase else text)

    def _pattern(self, text: str) -> re.Pattern[str]:
        if self.kind == "unicode_words":
            return _WITH_MARKS if _HAS_MARKS.search(text) else _PLAIN
        return _OTHERS.get(self.kind) or _characters(text)


def compared_words(text: str) -> list[list[list[str]]]:
    """Return the same for comparing documents: each Chinese character is a word."""
    return _found(_characters(text), text.lower())


def _characters(text: str) -> re.Pattern[str]:
    return _SINGLE_HAN if _HAS_MARKS_OR_HAN.search(text) else _PLAIN


def _found(pattern: re.Pattern[str], text: str) -> list[list[list[str]]]:
    find = pattern.findall
    return [
        [find(sentence) for sentence in document.split("\n")]
        for document in text[:-2].split("\n\n")
    ]
