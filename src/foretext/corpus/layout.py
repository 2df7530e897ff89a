"""The layout of plain text, by its beginning: whether lines are wrapped, what ends a document.

A document is a text that belongs together, such as an article; one line of text between two empty
lines is a paragraph, unless nothing larger can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from foretext.corpus.settings import Documents, Lines
from foretext.corpus.unwrapping import unwrapped
from foretext.corpus.wrapping import LineEnds, columns, line_ends

__all__ = ["MANY_FILES", "SMALL_FILE", "Layout", "num_mails"]

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
        return sum(columns(group) < _SHORT for group in groups) > _MANY_SHORT * len(groups)

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


_LARGER: tuple[Documents, ...] = ("line", "blank_line", "blank_lines", "file")


def _count(text: str, end: Documents) -> int:
    if end == "line":
        return _BLANK.sub("\n", text).count("\n") + 1
    return len((_BLANK if end == "blank_line" else _SEVERAL_BLANK).findall(text)) + 1


def num_mails(text: str) -> int:
    """Return how many blocks of two header lines or more a text has, after an empty line each."""
    return len(_MAIL.findall(text))
