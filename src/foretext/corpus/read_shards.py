"""The files of a corpus, read into shards of its normal form, with what is known of each file.

A file that cannot be read becomes a problem, and the others are read. The process that reads keeps
the text of a shard until its tally is there, so that whoever tallies needs the text alone: places
are looked up afterwards, for the few texts that are named.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Protocol

from foretext.base.errors import ForetextError
from foretext.corpus.compression import compression_of
from foretext.corpus.corpus import Corpus
from foretext.corpus.decoding import LONGEST_LINE
from foretext.corpus.findings import FileFacts, FileKind, Place, Problem
from foretext.corpus.formats import format_of, normal_form
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.sources import Source

__all__ = ["Locate", "Places", "PlainPlaces", "ReadFiles", "ReadShard", "RowPlaces"]

SHARD = 1 << 21  # characters, about; a shard has whole documents
MOST_FILES = 100  # of which facts are kept
MOST_EXAMPLES = 3  # files of a kind that are named

_EMPTY_LINE = re.compile(r"\n(?=[^\S\n]*\n)")
_REMEMBERED = 3  # chunks, or texts of rows; a document begins in the current one or the one before
_LONGEST_NEEDLE = 4096  # characters of a line that are compared
_BEGINNING = 60  # characters of a row that are compared, without white space


class ReadShard:
    """A part of the normal form of a corpus, of whole documents.

    Args:
        number: from 0, in the order of the text.
        start: characters of the corpus before it.
        num_bytes: stored bytes that were read for it.
        texts: that it consists of, each with what finds places in it.
    """

    def __init__(
        self, number: int, start: int, num_bytes: int, texts: list[tuple[str, Locate]]
    ) -> None:
        self.number, self.start, self.num_bytes = number, start, num_bytes
        self._texts = texts

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(text for text, _ in self._texts)

    def document(self, number: int) -> str:
        """Return the text of a document, by its number from 0."""
        return self._documents[number]

    def place(self, number: int) -> Place:
        """Return where a document begins in its file."""
        before = sum(len(document) + 2 for document in self._documents[:number])
        return self.place_of(before)

    def place_of(self, at: int, *, first: bool = False) -> Place:
        """Return where a character stands in its file; of equal lines, the `first`."""
        for text, locate in self._texts:
            if at < len(text):
                return locate(text, at, first=first)
            at -= len(text)
        raise IndexError(at)

    @cached_property
    def _documents(self) -> list[str]:
        return self.text[:-2].split("\n\n")


class ReadFiles:
    """Reads the files of a corpus; attributes are complete once all shards are read.

    Args:
        corpus: with the files.

    Attributes:
        files: facts of the first hundred.
        formats: files by format.
        compressions: files by compression.
        problems: files that cannot be read.
        lines: of plain text, as in the files.
        empty_lines: of these.
        long_lines: those that are split.
        num_bytes: read for no shard yet.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.files: list[FileFacts] = []
        self.formats: Counter[str] = Counter()
        self.compressions: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.lines = self.empty_lines = self.num_bytes = 0
        self.long_lines: list[Place] = []
        self._kinds: dict[tuple[str, str | None, str], FileKind] = {}

    @property
    def kinds(self) -> list[FileKind]:
        """The ways in which files are read, that of the most documents first."""
        return sorted(self._kinds.values(), key=lambda kind: -kind.documents)

    def shards(self) -> Iterator[ReadShard]:
        """Yield the text in shards; where it is cut depends on the text alone."""
        texts: list[tuple[str, Locate]] = []
        number = start = length = 0
        for text, locate in self._all_texts():
            texts.append((text, locate))
            length += len(text)
            if length >= SHARD:
                yield ReadShard(number, start, self._taken_bytes(), texts)
                number, start, length, texts = number + 1, start + length, 0, []
        if texts:
            yield ReadShard(number, start, self._taken_bytes(), texts)

    def _taken_bytes(self) -> int:
        taken, self.num_bytes = self.num_bytes, 0
        return taken

    def _all_texts(self) -> Iterator[tuple[str, Locate]]:
        for source in self._corpus.sources:
            reading, decided = self._corpus.reading(source), self._corpus.text_reading(source)
            format = format_of(source.name, reading)
            places: Places = (PlainPlaces if format == "txt" else RowPlaces)(source.name)
            compression, documents = None, 0
            try:
                compression = _compression(source)
                self.compressions[compression or "none"] += 1
                for text in self._texts(source, reading, places):
                    documents += text.count("\n\n")
                    yield text, places.recent()
            except ForetextError as error:
                compression = None
                place = Place(file=source.name)
                problem = Problem(severity="error", sentence=str(error), place=place)
                self.problems.append(problem)
            self.formats[format] += 1
            self.lines += places.lines
            self.empty_lines += places.empty_lines
            self.long_lines += places.long_lines
            facts = FileFacts(
                name=source.name,
                format=format,
                lines=decided.lines if decided else None,
                documents_end=decided.documents if decided else "row",
                compression=compression,
                bytes=source.size,
                documents=documents,
            )
            if documents:
                self._count(facts)
            self.files += [facts] if len(self.files) < MOST_FILES else []

    def _count(self, facts: FileFacts) -> None:
        """Count a file among those that are read in the same way."""
        key = facts.format, facts.lines, facts.documents_end
        kind = self._kinds.get(key) or FileKind(
            format=facts.format,
            lines=facts.lines,
            documents_end=facts.documents_end,
            num_files=0,
            documents=0,
            examples=[],
        )
        more = {
            "num_files": kind.num_files + 1,
            "documents": kind.documents + facts.documents,
            "examples": [*kind.examples, facts.name][:MOST_EXAMPLES],
        }
        self._kinds[key] = kind.model_copy(update=more)

    def _texts(self, source: Source, reading: CorpusConfig, places: Places) -> Iterator[str]:
        reported = 0
        with source.open() as file:
            for text in normal_form(file, source.name, reading, places.see):
                self.num_bytes += file.tell() - reported
                reported = file.tell()
                yield text
            self.num_bytes += file.tell() - reported


def _compression(source: Source) -> str | None:
    with source.open() as file:
        return compression_of(file.read(16), source.name)


class Locate(Protocol):
    """Finds the place of the character `at` of a text in normal form."""

    def __call__(self, text: str, at: int = 0, *, first: bool = False) -> Place:
        """Return the place, without a line if it is not known; of equal lines, the `first`."""
        ...


class Places(Protocol):
    """The lines or rows of a file, while it is read."""

    lines: int
    empty_lines: int
    long_lines: list[Place]

    def see(self, chunk: str) -> None:
        """Read the next decoded chunk of the file, or the next row."""
        ...

    def recent(self) -> Locate:
        """Return what finds the places of the text that was just read, now and later."""
        ...


class PlainPlaces:
    """Lines of plain text: how many, which are too long, and which one contains a given text."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines = 0
        self.empty_lines = 0
        self.long_lines: list[Place] = []
        self._tail = "\n"  # the last line end, where nothing but white space came after it
        self._recent: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)  # line ends before, chunk
        self._run = 0  # characters of the current line so far

    def see(self, chunk: str) -> None:
        """Read the next decoded chunk of the file."""
        self._recent.append((self.lines, chunk))
        before, end = self._run, chunk.find("\n")
        self._run += len(chunk) if end < 0 else end
        if before <= LONGEST_LINE < self._run:
            self.long_lines.append(Place(file=self.file, line=self.lines + 1))
        if end >= 0:
            self._run = len(chunk) - chunk.rfind("\n") - 1
        self.lines += chunk.count("\n")
        self._count_empty(self._tail + chunk)

    def recent(self) -> Locate:
        """Return what finds the places of the text that was just read, now and later."""
        return partial(_line_of, self.file, tuple(self._recent))

    def _count_empty(self, text: str) -> None:
        self.empty_lines += len(_EMPTY_LINE.findall(text))
        end = text.rfind("\n")
        self._tail = "\n" if end >= 0 and text[end:].isspace() else ""


def _line_of(
    file: str, chunks: Sequence[tuple[int, str]], text: str, at: int = 0, *, first: bool = False
) -> Place:
    """Find the line of the character `at` of `text` in chunks, each with the line ends before."""
    start = text.rfind("\n", 0, at) + 1
    needle = text[start : start + _LONGEST_NEEDLE].partition("\n")[0]
    recent = "\n" + "".join(chunk for _, chunk in chunks)
    find = recent.find if first else recent.rfind
    found = max(find(f"\n{needle}{end}") for end in ("\r\n", "\n"))
    found = find(needle, 1) if found < 0 else found + 1  # of a long or a split line
    if found < 0:
        found = _find_joined(recent, text, at, first=first)
    if found < 0:  # changed by normalisation, or begun long before
        return Place(file=file)
    return Place(file=file, line=chunks[0][0] + recent.count("\n", 0, found))


def _find_joined(recent: str, text: str, at: int, *, first: bool) -> int:
    """Find the character `at` of a text whose lines were joined, whatever its white space."""
    line = text.rfind("\n", 0, at) + 1
    start = max(line, text.rfind(" ", line, at + 1) + 1)
    beginning = "".join(text[start : start + 2 * _BEGINNING].partition("\n")[0].split())
    pattern = r"\s*".join(map(re.escape, beginning[:_BEGINNING]))
    found = [match.start() for match in re.finditer(pattern, recent)] if pattern else []
    return -1 if not found else found[0 if first else -1]


class RowPlaces:
    """Rows of jsonl, csv, tsv or parquet: how many, and which one contains a given text."""

    lines = empty_lines = 0  # rows have none of their own

    def __init__(self, file: str) -> None:
        self.file = file
        self.long_lines: list[Place] = []
        self._before = 0  # rows before the recent ones
        self._recent: deque[list[str]] = deque([[]], maxlen=_REMEMBERED)

    def see(self, chunk: str) -> None:
        """Read the next row."""
        self._recent[-1].append(chunk[: 4 * _BEGINNING])

    def recent(self) -> Locate:
        """Return what finds the places of the text that was just read, now and later."""
        seen = tuple(rows for rows in self._recent if rows)
        found = partial(_row_of, self.file, self._before, seen)
        if self._recent[-1]:  # rows that are read later are no part of what was found
            if len(self._recent) == _REMEMBERED:
                self._before += len(self._recent[0])
            self._recent.append([])
        return found


def _row_of(
    file: str, before: int, recent: Sequence[list[str]], text: str, at: int = 0, *,
    first: bool = False,
) -> Place:  # fmt: skip
    """Find the row of the character `at` of `text` among rows, of which so many stand before."""
    end = text.rfind("\n\n", 0, at)
    start = 0 if end < 0 else end + 2
    beginning = _beginning(text[start : start + 4 * _BEGINNING].partition("\n\n")[0])
    rows = enumerate(chain.from_iterable(recent), before + 1)
    numbers = [number for number, row in rows if _beginning(row) == beginning]
    line = numbers[0 if first else -1] if numbers else None
    return Place(file=file, line=line, unit="row")


def _beginning(row: str) -> str:
    """Return the first characters of a document, whatever its line ends."""
    return "".join(row[: 4 * _BEGINNING].split())[:_BEGINNING]
