"""Chinese text with spaces between its words, which jieba finds."""

from __future__ import annotations

import logging
import warnings
from functools import cache
from typing import TYPE_CHECKING

from foretext.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["is_jieba_installed", "separate_words"]


def separate_words(text: str) -> str:
    """Put spaces between words and drop punctuation, line by line.

    A line of punctuation becomes a space, not an empty line, which would end the document.

    Raises:
        MissingExtraError: jieba is not installed.
    """
    cut = _cutter()
    return "\n".join(_separate_line(line, cut) if line else "" for line in text.split("\n"))


def is_jieba_installed() -> bool:
    """Whether `separate_words` works."""
    try:
        _cutter()
    except MissingExtraError:
        return False
    return True


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
