"""Hard-wrapped text: lines cut at a width, as in the books of Project Gutenberg and in e-mail.

A line end is a cut if the first word of the next line would not have fit on the line. That tells
wrapped prose from verse, lists, dialogue, code, and text of one sentence a line, where most line
ends could have come later. Widths are in columns: a Chinese character takes two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

__all__ = ["FEWEST", "LineEnds", "columns", "is_cut", "is_wide", "line_ends"]

_NARROWEST, _WIDEST = 40, 160  # columns at which prose is cut
FEWEST = 20  # line ends inside paragraphs, to be sure
_FEWEST_CUTS = 0.25  # of the line ends inside paragraphs; with fewer a file is not wrapped
_SURE_CUTS, _SURE_RUNNING = 0.75, 0.4
_LIKELY_CUTS, _LIKELY_RUNNING = 0.5, 0.3
_MOST_FULL = 0.5  # share of lines that fill the width to the last column; more were truncated
_FEWEST_WORDS = 4  # of a line of prose, on average
_WIDTH_RANK = 0.9  # of the lengths: some lines are longer, such as those of tables
_LONGER = 1.25  # times the width: such a line was not cut
_HANGING = 2  # columns that a Chinese punctuation mark may move

_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60]"
)
_BEGINS_PARAGRAPH = re.compile(
    r"\s*(?:[>|#]|[=~_*-]{3}|[-*•+–]\s|\(?(?:\d{1,3}|[ivx]{1,5}|[a-z])[.)]\s)"
)
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？：；…][\"'”’»」』）)\]]*\Z")
_SENTENCE_MARK = re.compile(r"[.!?:;。！？：；…,，、।]")
_SAME_BEGINNING = 0.5  # share of the lines that begin with one word, at most, in prose
_SAME_LENGTH = 4  # columns by which lines of one template differ, about
_FEWEST_SHORTER = 0.05  # share of the cut lines that are shorter than that, at least, in prose
_BLANKS = re.compile(r"\S(?:\t|   +)\S")  # of columns in a table


class LineEnds(NamedTuple):
    """What the line ends of a text are, by its beginning."""

    width: int  # columns that most lines keep to
    inner: int  # line ends inside paragraphs
    cut_rate: float  # share of them that are cuts
    running_rate: float  # share of the cuts inside a sentence

    @property
    def is_wrapped(self) -> bool:
        """Whether the text is wrapped, without doubt."""
        return self.inner >= FEWEST and self._reaches(_SURE_CUTS, _SURE_RUNNING)

    @property
    def may_be_wrapped(self) -> bool:
        """Whether the text is more likely wrapped than not, as a forum's posts are."""
        return self.inner >= FEWEST and self._reaches(_LIKELY_CUTS, _LIKELY_RUNNING)

    @property
    def may_have_cuts(self) -> bool:
        """Whether enough line ends are cuts for lines to be joined, if they are read as wrapped."""
        return self.cut_rate >= _FEWEST_CUTS

    def _reaches(self, cuts: float, running: float) -> bool:
        is_prose = _NARROWEST <= self.width <= _WIDEST
        return is_prose and self.cut_rate >= cuts and self.running_rate >= running


def line_ends(sample: str) -> LineEnds:
    """Measure the line ends of a text."""
    inner = list(_inner(sample))
    not_wrapped = LineEnds(0, len(inner), 0.0, 0.0)
    if not inner or _words_a_line(inner) < _FEWEST_WORDS:
        return not_wrapped
    lengths = sorted(columns(before) for before, _ in inner)
    width = lengths[int(_WIDTH_RANK * (len(lengths) - 1))]
    cuts = [(before, line) for before, line in inner if is_cut(before, line, width)]
    if sum(len(before) == width and not _WIDE.search(before) for before, _ in cuts) > (
        _MOST_FULL * len(cuts)
    ):
        return not_wrapped
    if _are_separate(cuts, width):
        return not_wrapped
    running = sum(_is_running(before, line) for before, line in cuts)
    return LineEnds(width, len(inner), len(cuts) / len(inner), running / max(len(cuts), 1))


def _are_separate(cuts: list[tuple[str, str]], width: int) -> bool:
    """Whether lines of nearly equal length stand alone, because one template made them.

    In wrapped prose lines begin with different words, and where a long word did not fit, a line is
    much shorter; sentences end in lines.
    """
    if len(cuts) < FEWEST:
        return False
    lines = [line for _, line in cuts]
    first = Counter(line.split(None, 1)[0] for line in lines if line.lstrip()[:1].isalnum())
    if max(first.values(), default=0) > _SAME_BEGINNING * len(lines):
        return True
    if any(map(_WIDE.search, lines)) or any(map(_SENTENCE_MARK.search, lines)):
        return False
    shorter = sum(len(before) < width - _SAME_LENGTH for before, _ in cuts)
    return shorter < _FEWEST_SHORTER * len(cuts)


def is_cut(before: str, line: str, width: int) -> bool:
    """Whether the end of the line `before` was made by cutting a paragraph at `width` columns.

    Both lines have text, and no white space at their ends.
    """
    used = len(before) if before.isascii() else columns(before)
    if used > _LONGER * width or _may_begin_paragraph(before, line):
        return False
    first = line.split(None, 1)[0]
    if first.isascii():
        return used + 1 + len(first) > width
    if is_wide(first[0]):
        return used + 2 + _HANGING > width
    return used + 1 + columns(first) > width


def _may_begin_paragraph(before: str, line: str) -> bool:
    """Whether a line is an item of a list, or more indented than the one before it."""
    if line[0].isalpha() and line.find(".", 1, 6) < 0 and line.find(")", 1, 6) < 0:
        return False  # as most lines
    return _BEGINS_PARAGRAPH.match(line) is not None or _indent(line) > _indent(before)


def columns(text: str) -> int:
    """Return the columns that a text takes."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def is_wide(character: str) -> bool:
    """Whether a character takes two columns, and needs no space beside another such."""
    return _WIDE.match(character) is not None


def _inner(sample: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of lines that may be in one paragraph."""
    lines = [line.rstrip() for line in sample.split("\n")]
    for before, line in pairwise(lines):
        if before and line and _indent(line) <= _indent(before):
            yield before, line


def _is_running(before: str, line: str) -> bool:
    """Whether a sentence goes on at a line end."""
    if _BLANKS.search(before):
        return False
    first = line.lstrip()[0]
    if first.islower():
        return True
    return first.isalpha() and not first.isupper() and _ENDS_SENTENCE.search(before) is None


def _words_a_line(inner: list[tuple[str, str]]) -> float:
    """Words of a line on average; four columns of Chinese count as one."""
    words = sum(
        len(line.split()) + (0 if line.isascii() else len(_WIDE.findall(line)) // 2)
        for _, line in inner
    )
    return words / len(inner)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
