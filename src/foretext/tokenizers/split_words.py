"""Words that are split already, as the ids of a sub-word tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Protocol

from foretext.corpus.scripts import WITHOUT_BLANKS, script_of
from foretext.tokenizers.base import WordIds

__all__ = ["SplitWords"]

MAX_WORDS = 1 << 20  # known at a time


class _Encoder(Protocol):
    def __call__(self, texts: Sequence[str]) -> list[list[int]]: ...


class SplitWords:
    """The sub-words of each word; a word that occurred before is looked up.

    A word that follows another has a blank before it, because byte-level tokenizers mark words
    within a text so; scripts without blanks have none. WordPiece ignores the blank.

    Args:
        encode: returns the ids of each text.
        nothing: id of a word that has no ids.
    """

    def __init__(self, encode: _Encoder, nothing: int) -> None:
        self._encode = encode
        self._nothing = [nothing]
        self._known: dict[str, list[int]] = {}

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[WordIds]:
        """Return one id or more for each word."""
        written = [_with_blanks(words) for words in sentences]
        self._learn({word for words in written for word in words})
        return [[self._known[word] for word in words] for words in written]

    def _learn(self, words: set[str]) -> None:
        if len(self._known) + len(words) > MAX_WORDS:
            self._known = {}
        new = [word for word in words if word not in self._known]
        for word, ids in zip(new, self._encode(new), strict=True):
            self._known[word] = ids or self._nothing


def _with_blanks(words: Sequence[str]) -> list[str]:
    written = list(words[:1])
    for before, word in pairwise(words):
        joins = _is_without_blanks(before[-1:]) or _is_without_blanks(word[:1])
        written.append(word if joins else f" {word}")
    return written


@cache
def _is_without_blanks(character: str) -> bool:
    """Whether a character, "" or one, is of a script that has no blanks."""
    return bool(character) and script_of(character) in WITHOUT_BLANKS
