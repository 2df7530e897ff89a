"""The files of a corpus, read into shards of its normal form, with what is known of each file.

A file that cannot be read becomes a problem, and the others are read. The process that reads keeps
the text of a shard until its tally is there, so that whoever tallies needs the text alone: places
are looked up afterwards, for the few texts that are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from foretext.base.errors import ForetextError
from foretext.corpus.compression import compression_of
from foretext.corpus.corpus import Corpus
from foretext.corpus.findings import FileFacts, FileKind, Place, Problem
from foretext.corpus.formats import format_of, normal_form
from foretext.corpus.places import Locate, Places, PlainPlaces, RowPlaces
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.source import Source

__all__ = ["ReadFiles", "ReadShard"]

SHARD = 1 << 21  # characters, about; a shard has whole documents
MOST_FILES = 100  # of which facts are kept
MOST_EXAMPLES = 3  # files of a kind that are named


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
        told = 0
        with source.open() as file:
            for text in normal_form(file, source.name, reading, places.see):
                self.num_bytes += file.tell() - told
                told = file.tell()
                yield text
            self.num_bytes += file.tell() - told


def _compression(source: Source) -> str | None:
    with source.open() as file:
        return compression_of(file.read(16), source.name)
