"""Chinese text with spaces between its words, which jieba finds."""

from __future__ import annotations

import logging
import warnings
from functools import cache
from typing import TYPE_CHECKING

from foretext.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["is_jieba_installed", "is_jieba_unchanged", "separate_words"]


def separate_words(text: str) -> str:
    """Put spaces between words and drop punctuation, line by line.

    A line of punctuation becomes a space, not an empty line, which would end the document.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    cut = _cutter()
    _own_total()
    return "\n".join(_separate_line(line, cut) if line else "" for line in text.split("\n"))


def is_jieba_installed() -> bool:
    """Whether `separate_words` works."""
    try:
        _cutter()
    except MissingExtraError:
        return False
    return True


def is_jieba_unchanged() -> bool:
    """Whether another process would cut as this one: nobody has changed jieba's dictionary here.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    _cutter()
    import jieba

    if not jieba.dt.initialized:
        return jieba.dt.dictionary is None
    return bool(_own_total() == jieba.dt.total)


def _separate_line(line: str, cut: Callable[[str], Iterable[str]]) -> str:
    return " ".join(word for word in cut(line) if any(map(str.isalnum, word))) or " "


@cache
def _cutter() -> Callable[[str], Iterable[str]]:
    try:
        with warnings.catch_warnings():  # of pkg_resources and of its own regular expressions
            warnings.simplefilter("ignore")
            import jieba
    except ImportError:
        raise MissingExtraError("jieba", "chinese", "The pre-tokeniser 'chinese_words'") from None
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
