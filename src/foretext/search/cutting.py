"""Documents are cut into passages: whole paragraphs as long as they fit, sentences, then words.

A paragraph that is not longer than a passage is never cut. Neighbouring passages of one document
can share their border: the last sentences or paragraphs of one begin the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import ceil
from typing import NamedTuple

from foretext.base.errors import SettingError
from foretext.corpus.paragraphs import Paragraph
from foretext.corpus.sentences import split_sentences
from foretext.messages import message

__all__ = ["Cutter", "Passage"]

AT_ONCE = 512  # paragraphs that are measured together

Measure = Callable[[Sequence[str]], Sequence[int]]


class Passage(NamedTuple):
    """A part of a document, and where it stands."""

    text: str
    first_line: int  # from 1; or the number of its row
    last_line: int
    start: int  # characters before it, in its file or in its row
    end: int


class _Unit(NamedTuple):
    """What is not cut any more: a paragraph, a sentence, or a piece of one."""

    passage: Passage
    size: int
    glue: str  # what stands between it and the unit before it


class Cutter:
    """Cuts paragraphs, document by document, into passages.

    Args:
        measure: gives the size of each text, in tokens or in words.
        length: size of a passage, at most.
        overlap: size of what a passage may share with the one before it.

    Raises:
        SettingError: a length below 1, or an overlap that is not below the length.
    """

    def __init__(self, measure: Measure, length: int, overlap: int = 0) -> None:
        if length < 1:
            raise SettingError(message("options.index.length", length=length))
        if not 0 <= overlap < length:
            raise SettingError(
                message("options.index.overlap", overlap=overlap, length=length, most=length - 1)
            )
        self._measure = measure
        self._length = length
        self._overlap = overlap

    def passages(self, paragraphs: Iterable[Paragraph]) -> Iterator[Passage]:
        """Yield the passages of some documents, in order."""
        held: list[_Unit] = []
        for unit, begins in self._units(paragraphs):
            size = sum(each.size for each in held)
            if held and (begins or size + unit.size > self._length):
                yield _joined(held)
                held = [] if begins else self._shared(held, self._length - unit.size)
            held.append(unit)
        if held:
            yield _joined(held)

    def _shared(self, held: list[_Unit], room: int) -> list[_Unit]:
        """Return the last units of a passage with which the next one begins."""
        left, first = min(self._overlap, room), len(held)
        while first > 1 and held[first - 1].size <= left:
            first -= 1
            left -= held[first].size
        return held[first:]

    def _units(self, paragraphs: Iterable[Paragraph]) -> Iterator[tuple[_Unit, bool]]:
        rest = iter(paragraphs)
        while some := list(islice(rest, AT_ONCE)):
            for paragraph, size in zip(some, self._measure([p.text for p in some]), strict=True):
                begins = paragraph.begins
                for unit in self._units_of(paragraph, size):
                    yield unit, begins
                    begins = False

    def _units_of(self, paragraph: Paragraph, size: int) -> Iterator[_Unit]:
        text = paragraph.text
        if size <= self._length:
            yield _unit(paragraph, (0, len(text)), size, 0)
            return
        places = _sentences(text)
        sizes = self._measure([text[start:end] for start, end in places])
        pieces = [
            piece
            for (start, end), size in zip(places, sizes, strict=True)
            for piece in _pieces(text, start, end, ceil(size / self._length))
        ]
        before = 0
        for place, size in zip(
            pieces, self._measure([text[start:end] for start, end in pieces]), strict=True
        ):
            yield _unit(paragraph, place, size, before)
            before = place[1]


def _unit(paragraph: Paragraph, place: tuple[int, int], size: int, before: int) -> _Unit:
    """Return a part of a paragraph; `before` is where the part before it ends, 0 if none is."""
    start, end = place
    passage = Passage(
        paragraph.text[start:end],
        paragraph.line_of(start),
        paragraph.line_of(end - 1),
        paragraph.start + start,
        paragraph.start + end,
    )
    glue = "\n" if before == 0 else " " * (start > before)
    return _Unit(passage, size, glue)


def _joined(units: Sequence[_Unit]) -> Passage:
    first, last = units[0].passage, units[-1].passage
    text = "".join(unit.glue * (place > 0) + unit.passage.text for place, unit in enumerate(units))
    return Passage(text, first.first_line, last.last_line, first.start, last.end)


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a paragraph stand, without the blanks around them."""
    places, at = [], 0
    for sentence in map(str.strip, split_sentences(text).split("\n")):
        if sentence:
            at = text.index(sentence, at)
            places.append((at, at + len(sentence)))
            at += len(sentence)
    return places


def _pieces(text: str, start: int, end: int, number: int) -> Iterator[tuple[int, int]]:
    """Cut a sentence into about `number` parts of equal length, at blanks where there are any."""
    longest = ceil((end - start) / number)
    while end - start > longest:
        blank = text.rfind(" ", start + 1, start + longest + 1)
        cut = blank if blank > 0 else start + longest
        yield start, cut
        start = cut + (blank > 0)
    if start < end:
        yield start, end
