"""Words and marks of a text with the blanks between them, and how a text is made of such again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from foretext.corpus.chinese_words import mark_words
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.corpus.scripts import WITHOUT_BLANKS, script_of

__all__ = ["Piece", "Spacing", "WordSplitter"]

SAMPLE = 1 << 16  # characters that the script is found from


class Piece(NamedTuple):
    """A word, or one other character that is not a blank."""

    text: str
    follows_blank: bool  # whether blanks stand before it

    @property
    def is_mark(self) -> bool:
        """Whether it is no word."""
        return is_mark(self.text)


class WordSplitter:
    """Splits texts into words, as a pre-tokenizer that suits them finds these, and marks.

    Args:
        texts: by whose script the pre-tokenizer is chosen: jieba's words of Chinese where it is
            installed.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._kind = likely_kind(_sample(texts))
        self._pre_tokenizer = PreTokenizer(self._kind, lowercase=False)

    @property
    def has_blanks(self) -> bool:
        """Whether blanks stand between the words of these texts."""
        return self._kind == "unicode_words"

    def pieces(self, text: str) -> list[Piece]:
        """Return words and marks in order."""
        if self._kind == "chinese_words":
            return list(_marked(text))
        return list(_located(text, self._pre_tokenizer.words(text)))


class Spacing:
    """Whether a blank stands between two pieces of a text, as texts in its language have it.

    Args:
        texts: the pieces of such texts.
    """

    def __init__(self, texts: Iterable[Sequence[Piece]]) -> None:
        before, after, marks = Counter[str](), Counter[str](), Counter[str]()
        for pieces in texts:
            for place, piece in enumerate(pieces):
                if piece.is_mark:
                    marks[piece.text] += 1
                    before[piece.text] += piece.follows_blank
                    is_last = place + 1 == len(pieces)
                    after[piece.text] += is_last or pieces[place + 1].follows_blank
        self._joined_before = frozenset(mark for mark in marks if 2 * before[mark] < marks[mark])
        self._joined_after = frozenset(mark for mark in marks if 2 * after[mark] < marks[mark])

    def needs_blank(self, first: str, second: str) -> bool:
        """Whether a blank belongs between two pieces."""
        if first in self._joined_after or second in self._joined_before:
            return False
        return not (_is_unspaced(first[-1]) or _is_unspaced(second[0]))


def is_mark(text: str) -> bool:
    """Whether a piece is no word."""
    return len(text) == 1 and not text.isalnum()


def _sample(texts: Iterable[str]) -> str:
    """Return the beginnings of texts, together some thousands of characters."""
    sample, size = [], 0
    for text in texts:
        sample.append(text[: SAMPLE - size])
        size += len(sample[-1])
        if size >= SAMPLE:
            break
    return "\n".join(sample)


def _located(text: str, words: Iterable[str]) -> Iterator[Piece]:
    """Find words of a text again, and what stands between them."""
    end = 0
    for word in words:
        start = text.index(word, end)
        between = text[end:start]
        yield from _marks(between)
        yield Piece(word, between[-1:].isspace())
        end = start + len(word)
    yield from _marks(text[end:])


def _marks(between: str) -> Iterator[Piece]:
    before = ""
    for character in between:
        if not character.isspace():
            yield Piece(character, before.isspace())
        before = character


def _marked(text: str) -> Iterator[Piece]:
    """Yield jieba's words and marks."""
    follows_blank = False
    for found in re.finditer("10*", mark_words(text)):
        piece = text[found.start() : found.end()]
        if not piece.isspace():
            yield Piece(piece, follows_blank)
        follows_blank = piece.isspace()


def _is_unspaced(character: str) -> bool:
    return script_of(character) in WITHOUT_BLANKS
