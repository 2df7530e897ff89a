"""The layout of plain text, by its beginning: whether lines are wrapped, what ends a document.

A document is a text that belongs together, such as an article; one line of text between two empty
lines is a paragraph, unless nothing larger can be seen.

Hard-wrapped text: lines cut at a width, as in the books of Project Gutenberg and in e-mail. A
line end is a cut if the first word of the next line would not have fit on the line. That tells
wrapped prose from verse, lists, dialogue, code, and text of one sentence a line, where most line
ends could have come later. Widths are in columns: a Chinese character takes two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from foretext.corpus.decoding import LONGEST_LINE
from foretext.corpus.settings import Documents, Lines

__all__ = [
    "FEWEST",
    "MANY_FILES",
    "SMALL_FILE",
    "Layout",
    "LineEnds",
    "is_cut",
    "line_ends",
    "num_mails",
    "unwrapped",
]

_LINE_ENDS_SAMPLE = 1 << 18  # characters of the sample in which line ends are measured
_BLANK = re.compile(r"\n\s*\n")
_SEVERAL_BLANK = re.compile(r"\n[^\S\n]*\n\s*\n")
_SEVERAL_LINES = 1.5  # lines between empty lines, on average, are more than a paragraph
_FEWEST_PARAGRAPHS = 2  # between several empty lines, on average
_MOST_LINES = 100  # of a document, on average, if empty lines separate documents
_MOST_PARAGRAPHS = 1000  # of a document, on average, if several empty lines do
_SHORT = 250  # columns, some fifty words
_MANY_SHORT = 0.2  # share of short ones from which they are paragraphs
_MAIL_HEADERS = (
    "From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Message-ID|Received|Return-Path|MIME-Version"
    "|Content-Type|Von|An|Betreff|Datum|Gesendet|De|À|Objet|Asunto|Para|Fecha"
    "|发件人|收件人|主题|日期"
)
_HEADER = rf"(?:{_MAIL_HEADERS})[:：][^\n]*\n(?:[ \t]+\S[^\n]*\n)*"  # it may go on after blanks

# "From " without a colon begins each mail of an mbox.
_MAIL = re.compile(
    rf"(?:\A|\n[^\S\n]*\n)(?:From \S[^\n]*\n)?(?:{_HEADER}){{2}}",
    re.IGNORECASE,
)
_LONGEST_MAIL = 1 << 18  # characters; a longer file is a box of mails, or a book
MANY_FILES = 20
SMALL_FILE = 1 << 15  # bytes, on average: more is a collection of documents

_LARGER: tuple[Documents, ...] = ("line", "blank_line", "blank_lines", "file")

HEAD = 1 << 16  # characters of a file that show its width and its words
_BROKEN = re.compile(r"([^\W\d_]+)-\Z")
_CONTINUES = re.compile(r"[^\W\d_]+")
_JOINS = {"and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"}  # "Haus- und Hof"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SOFT_HYPHEN = "\xad"

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


@dataclass(frozen=True)
class Layout:
    """What the beginning of some files says of all their text.

    Args:
        samples: the beginning of each file, of whole lines.
        file_sizes: of all files; empty where they are not known.
        chosen: how lines are to be read; None: by the text.
    """

    samples: Sequence[str]
    file_sizes: Sequence[int] = field(default=())
    chosen: Lines | None = None

    @cached_property
    def line_ends(self) -> LineEnds:
        """What the line ends are."""
        share = _LINE_ENDS_SAMPLE // max(len(self.samples), 1)
        return line_ends("\n\n".join(sample[:share] for sample in self.samples))

    @property
    def lines(self) -> Lines:
        """Whether lines were cut at a width, without doubt."""
        return self.chosen or ("wrapped" if self.line_ends.is_wrapped else "whole")

    def read_as(self, lines: Lines) -> Layout:
        """Return the layout of the same text where lines are known to be whole or wrapped."""
        return replace(self, chosen=lines)

    @cached_property
    def documents(self) -> Documents:
        """What ends a document."""
        if self._has_small_files():
            return "file"
        lines, groups, sections = (self.num_documents(end) for end in _LARGER[:3])
        if (mails := self._documents_of_mails(sections)) is not None:
            return mails
        may_be_groups = 1 < groups < lines <= _MOST_LINES * groups
        if may_be_groups and lines >= _SEVERAL_LINES * groups:
            return "blank_line"
        paragraphs = groups / max(sections, 1)
        if sections > len(self._texts) and _FEWEST_PARAGRAPHS <= paragraphs <= _MOST_PARAGRAPHS:
            return "blank_lines"
        if self.lines == "wrapped" and groups > 1 and self._has_short_groups:
            return "file"
        return "blank_line" if may_be_groups else "line"

    def num_documents(self, end: Documents) -> int:
        """Return how many documents the samples have if `end` ends them."""
        if end == "file":
            return len(self._texts)
        return sum(_count(text, end) for text in self._texts)

    def larger_documents(self, than: Documents) -> Documents | None:
        """Return the end that makes the next larger documents, at least two of them."""
        for end in _LARGER[_LARGER.index(than) + 1 :]:
            if 1 < self.num_documents(end) <= self.num_documents(than) / _FEWEST_PARAGRAPHS:
                return end
        return None

    def smaller_documents(self, than: Documents) -> Documents | None:
        """Return the end that makes the next smaller documents."""
        for end in reversed(_LARGER[: _LARGER.index(than)]):
            if self.num_documents(end) > self.num_documents(than):
                return end
        return None

    @cached_property
    def _texts(self) -> list[str]:
        """The samples with whole paragraphs, without white space at their ends."""
        texts = [sample.strip() for sample in self.samples if sample.strip()]
        if self.lines == "whole":
            return texts
        return ["".join(unwrapped([text + "\n"])).strip() for text in texts]

    @cached_property
    def _has_short_groups(self) -> bool:
        """Whether many of the lines between empty lines are too short to be texts of their own.

        In a book or a letter they are paragraphs, headings and what people say.
        """
        groups = [group for text in self._texts for group in _BLANK.split(text)]
        return sum(_columns(group) < _SHORT for group in groups) > _MANY_SHORT * len(groups)

    def _documents_of_mails(self, sections: int) -> Documents | None:
        """Return what ends an e-mail; None: most files hold none, or nothing is between them."""
        samples = [sample for sample in self.samples if sample.strip()]
        mails = [num_mails(sample) for sample in samples]
        with_mails = sum(number > 0 for number in mails)
        if 2 * with_mails <= len(mails):
            return None
        if sum(mails) == with_mails:
            lengths = [len(sample) for sample, number in zip(samples, mails, strict=True) if number]
            return "file" if max(lengths) <= _LONGEST_MAIL else None
        return "blank_lines" if sections >= sum(mails) else None

    def _has_small_files(self) -> bool:
        """Whether there are many small files of paragraphs, as of letters or posts."""
        sizes = self.file_sizes
        if len(sizes) < MANY_FILES or sum(sizes) > SMALL_FILE * len(sizes):
            return False
        return self.num_documents("blank_line") >= _FEWEST_PARAGRAPHS * len(self._texts)


def _count(text: str, end: Documents) -> int:
    if end == "line":
        return _BLANK.sub("\n", text).count("\n") + 1
    return len((_BLANK if end == "blank_line" else _SEVERAL_BLANK).findall(text)) + 1


def num_mails(text: str) -> int:
    """Return how many blocks of two header lines or more a text has, after an empty line each."""
    return len(_MAIL.findall(text))


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
            return "" if last > "\xff" and _is_wide(last) and _is_wide(line[0]) else " ", False
        first, second = _BROKEN.search(before), _CONTINUES.match(line)
        if first and second and second[0] not in _JOINS:
            whole, hyphenated = f"{first[1]}{second[0]}", f"{first[1]}-{second[0]}"
            return "", whole in self._words and hyphenated not in self._words
        return "" if before.endswith("--") else " ", False


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
    lengths = sorted(_columns(before) for before, _ in inner)
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
    used = len(before) if before.isascii() else _columns(before)
    if used > _LONGER * width or _may_begin_paragraph(before, line):
        return False
    first = line.split(None, 1)[0]
    if first.isascii():
        return used + 1 + len(first) > width
    if _is_wide(first[0]):
        return used + 2 + _HANGING > width
    return used + 1 + _columns(first) > width


def _may_begin_paragraph(before: str, line: str) -> bool:
    """Whether a line is an item of a list, or more indented than the one before it."""
    if line[0].isalpha() and line.find(".", 1, 6) < 0 and line.find(")", 1, 6) < 0:
        return False  # as most lines
    return _BEGINS_PARAGRAPH.match(line) is not None or _indent(line) > _indent(before)


def _columns(text: str) -> int:
    """Return the columns that a text takes."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


def _is_wide(character: str) -> bool:
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
