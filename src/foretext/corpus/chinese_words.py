"""The words of Chinese text, which jieba finds: with spaces between them, or as marks."""

from __future__ import annotations

import logging
import re
import warnings
from functools import cache
from typing import TYPE_CHECKING

from foretext.base.errors import MissingExtraError
from foretext.corpus.decoding import without_invisible
from foretext.corpus.emoji import EMOJI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "is_jieba_installed",
    "is_jieba_unchanged",
    "jieba_version",
    "mark_words",
    "separate_words",
]

OF_PRE_TOKENIZER = "The pre-tokeniser 'chinese_words'"
OF_MARKS = "Finding the words of Chinese text"
_EMOJI = re.compile(f"[{EMOJI}]")


def separate_words(text: str, *, with_emoji: bool = True) -> str:
    """Put spaces between words and emoji and drop punctuation, line by line.

    A line of punctuation becomes a space, not an empty line, which would end the document. Without
    `with_emoji` it is as in earlier versions: they dropped emoji, and cut at what nobody sees.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    cut = _cutter(OF_PRE_TOKENIZER)
    _own_total()
    is_word = _is_word_or_emoji if with_emoji else _is_word
    lines = (without_invisible(text) if with_emoji else text).split("\n")
    return "\n".join(_separate_line(line, cut, is_word) if line else "" for line in lines)


def mark_words(text: str) -> str:
    """Return "1" for each character that begins a word or is punctuation, "0" for each other.

    No word goes beyond the end of a line. Unlike `separate_words`, this keeps every character's
    place.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    cut = _cutter(OF_MARKS)
    _own_total()
    lines = text.split("\n")
    return "1".join("".join(f"{'1':0<{len(word)}}" for word in cut(line)) for line in lines)


def is_jieba_installed() -> bool:
    """Whether `separate_words` works."""
    try:
        _cutter(OF_PRE_TOKENIZER)
    except MissingExtraError:
        return False
    return True


def is_jieba_unchanged() -> bool:
    """Whether another process would cut as this one: nobody has changed jieba's dictionary here.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    _cutter(OF_PRE_TOKENIZER)
    import jieba

    if not jieba.dt.initialized:
        return jieba.dt.dictionary is None
    return bool(_own_total() == jieba.dt.total)


def jieba_version() -> str:
    """Return the version of jieba.

    Raises:
        MissingExtraError: it is not installed.
    """
    _cutter(OF_MARKS)
    import jieba

    return str(jieba.__version__)


def _separate_line(
    line: str, cut: Callable[[str], Iterable[str]], is_word: Callable[[str], bool]
) -> str:
    return " ".join(filter(is_word, cut(line))) or " "


def _is_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))


def _is_word_or_emoji(piece: str) -> bool:
    return _is_word(piece) or (not piece.isascii() and bool(_EMOJI.search(piece)))


@cache
def _cutter(purpose: str) -> Callable[[str], Iterable[str]]:
    try:
        with warnings.catch_warnings():  # of pkg_resources and of its own regular expressions
            warnings.simplefilter("ignore")
            import jieba
    except ImportError:
        raise MissingExtraError("jieba", "chinese", purpose) from None
    jieba.setLogLevel(logging.WARNING)  # it reports on standard error how it loads its dictionary
    return jieba.cut  # type: ignore[no-any-return]


@cache
def _own_total() -> int | None:
    """The sum of jieba's counts when foretext has loaded them; None: somebody else has."""
    import jieba

    if jieba.dt.initialized or jieba.dt.dictionary is not None:
        return None
    jieba.initialize()
    return int(jieba.dt.total)
