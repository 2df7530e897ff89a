"""Text in lines of a width in a terminal, where a Chinese letter fills two cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import east_asian_width

__all__ = ["cells", "text_lines"]

_CHINESE = "\u2e80-\u9fff\uff00-\uffef"
_CLOSING = r"，。；：、？！）》」』】”’%\]"  # begins no line
_OPENING = r"（《「『【“‘\["  # ends no line
# Blanks, or a Chinese letter or a Latin word, each with the signs that stay with it.
_PIECES = re.compile(
    rf"\s+|[{_OPENING}]*(?:[{_CHINESE}]|[^\s{_CHINESE}{_OPENING}{_CLOSING}]+)[{_CLOSING}.]*|\S"
)


def cells(text: str) -> int:
    """Return how many cells a text fills."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def text_lines(text: str, width: int) -> list[str]:
    """Break a text into lines, between words or Chinese letters; an empty one has no line.

    A word that is longer than a line has one of its own.

    >>> text_lines("由谁来做：本机的进程，或 Ray 集群。", 16)
    ['由谁来做：本机的', '进程，或 Ray 集', '群。']
    """
    return list(_lines(text, width))


def _lines(text: str, width: int) -> Iterator[str]:
    line = ""
    for piece in _PIECES.findall(text):
        if line.strip() and cells(line) + cells(piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece if line or not piece.isspace() else ""
    if line.strip():
        yield line.rstrip()
