"""Paragraphs made whole: the lines of hard-wrapped text are joined, as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from foretext.corpus.lines import LONGEST_LINE
from foretext.corpus.wrapping import is_cut, is_wide, line_ends

__all__ = ["unwrapped"]

HEAD = 1 << 16  # characters of a file that show its width and its words
_BROKEN = re.compile(r"([^\W\d_]+)-\Z")
_CONTINUES = re.compile(r"[^\W\d_]+")
_JOINS = {"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"}  # "Haus- und Hof"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SOFT_HYPHEN = "\xad"


def unwrapped(texts: Iterable[str], longest: int = LONGEST_LINE) -> Iterator[str]:
    """Yield the texts of one file, each of whole lines, with its paragraphs in one line each.

    The width is that of the file's beginning. A line end stays where the next word would have fit:
    after headings, verses and items of lists, and at the end of each paragraph; empty lines stay,
    too. A paragraph longer than `longest` characters is cut at a line end.
    """
    rest = iter(texts)
    head = _beginning(rest)
    sample = "".join(head)[:HEAD]
    sample = sample[: sample.rfind("\n") + 1] or sample
    ends = line_ends(sample)
    if not ends.may_have_cuts:
        yield from head
        yield from rest
        return
    joiner = _Joiner(ends.width, frozenset(_WORD.findall(sample)), longest)
    for text in chain(head, rest):
        if whole := joiner.add(text):
            yield whole
    if last := joiner.end():
        yield last


def _beginning(texts: Iterator[str]) -> list[str]:
    """Take texts until there are enough characters to measure."""
    taken: list[str] = []
    length = 0
    while length < HEAD and (text := next(texts, None)) is not None:
        taken.append(text)
        length += len(text)
    return taken


class _Joiner:
    """Joins the lines of one file; what is open is the paragraph that was read last."""

    def __init__(self, width: int, words: frozenset[str], longest: int) -> None:
        self._width = width
        self._words = words
        self._longest = longest
        self._before = ""  # the last line
        self._open: str | None = None  # its paragraph, without a line end; None: nothing was read

    def add(self, text: str) -> str:
        """Read lines, and return the paragraphs that have ended, as whole lines."""
        parts = [] if self._open is None else [self._open]
        before, length = self._before, len(self._open or "")
        for unclean in text[:-1].split("\n"):
            line = unclean.rstrip()
            if before and line and length < self._longest and is_cut(before, line, self._width):
                line_text = line.lstrip()
                glue, drops = self._glue(before, line_text)
                if drops:
                    parts[-1] = parts[-1][:-1]
                parts += (glue, line_text)
                length += len(line_text) + 1
            else:
                parts += ("\n", line) if parts else (line,)
                length = len(line)
            before = line
        joined = "".join(parts)
        end = joined.rfind("\n") + 1
        self._open, self._before = joined[end:], before
        return joined[:end]

    def end(self) -> str:
        """Return the last paragraph."""
        return "" if self._open is None else f"{self._open}\n"

    def _glue(self, before: str, line: str) -> tuple[str, bool]:
        """Return what stands between two lines, and whether a hyphen goes.

        A hyphen at a line end goes where the file has the word without it, and not with it.
        """
        last = before[-1]
        if last == _SOFT_HYPHEN:
            return "", True
        if last != "-":
            return "" if last > "\xff" and is_wide(last) and is_wide(line[0]) else " ", False
        first, second = _BROKEN.search(before), _CONTINUES.match(line)
        if first and second and second[0] not in _JOINS:
            whole, hyphenated = f"{first[1]}{second[0]}", f"{first[1]}-{second[0]}"
            return "", whole in self._words and hyphenated not in self._words
        return "" if before.endswith("--") else " ", False
