"""How each file of plain text is read, by its beginning: its lines, and what ends a document.

A corpus can be a book beside reviews of one line each, so every file is looked at, and decides for
itself if it has enough lines to tell. Those that are too short are decided together. Many small
files of paragraphs are a collection of documents, whatever large files are beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from foretext.base.errors import ForetextError
from foretext.corpus.decoding import whole_lines
from foretext.corpus.formats import plain_text
from foretext.corpus.layout import FEWEST, MANY_FILES, SMALL_FILE, Layout, LineEnds
from foretext.corpus.settings import CorpusConfig, Documents, Lines
from foretext.corpus.sources import Source

__all__ = ["FileReading", "Readings", "samples"]

SAMPLE = 1 << 20  # characters that show the layout of a file
SHARE = 1 << 15  # of them, at least, where there are many files
_SEVERAL = 2  # paragraphs of a small file that is a document
_LARGEST_SMALL = 4 * SMALL_FILE  # bytes of a file in a collection of small ones


class FileReading(NamedTuple):
    """What is decided for a file of plain text."""

    lines: Lines
    documents: Documents


class _Beginning(NamedTuple):
    """What the beginning of a file says."""

    size: int | None  # stored bytes
    line_ends: LineEnds
    num_lines: int  # with text
    num_groups: int  # of lines between empty ones
    whole: Documents  # what ends a document if lines are whole
    wrapped: Documents  # likewise, if they are wrapped, where they may be read so

    def documents(self, lines: Lines) -> Documents:
        return self.wrapped if lines == "wrapped" else self.whole


class Readings:
    """The beginnings of some files of plain text, and what they decide.

    Attributes:
        problem: the first file that cannot be read; None: all can.
    """

    def __init__(self, sources: Sequence[Source], config: CorpusConfig) -> None:
        """Look at the beginning of each file; `config` says how bytes become text."""
        self.problem: ForetextError | None = None
        self._found: dict[str, _Beginning] = {}  # by identity
        self._unclear = _Pool()  # too few line ends to see whether lines are wrapped
        self._short = _Pool()  # too few lines to see what a document is
        share = _share(len(sources))
        for source in sources:
            try:
                sample = beginning(source, config, share)
            except ForetextError as error:
                self.problem = self.problem or error
                continue
            self._found[source.identity] = self._seen(source, sample, config)

    def decided(self, config: CorpusConfig) -> dict[str, FileReading]:
        """Return how each file is read, by its identity; settings that are not "auto" hold for all.

        A file that cannot be read is missing.
        """
        in_collection = self._is_collection()

        @cache
        def lines_of_unclear() -> Lines:
            return Layout(self._unclear.samples).lines

        @cache
        def documents_of_short(lines: Lines) -> Documents:
            return Layout(self._short.samples, chosen=lines).documents

        def lines_of(seen: _Beginning) -> Lines:
            if config.lines != "auto":
                return config.lines
            if seen.line_ends.inner < FEWEST:
                return lines_of_unclear()
            return "wrapped" if seen.line_ends.is_wrapped else "whole"

        def documents_of(seen: _Beginning, lines: Lines) -> Documents:
            if config.documents != "auto":
                return config.documents
            is_short = seen.num_lines < FEWEST
            may_be_one = is_short or lines == "wrapped" or seen.num_groups >= _SEVERAL
            if in_collection and may_be_one and _is_small(seen):
                return "file"
            return documents_of_short(lines) if is_short else seen.documents(lines)

        def read(seen: _Beginning) -> FileReading:
            lines = lines_of(seen)
            return FileReading(lines, documents_of(seen, lines))

        return {identity: read(seen) for identity, seen in self._found.items()}

    def resolved(self, config: CorpusConfig) -> CorpusConfig:
        """Return settings that hold for all files; "auto" stays where files differ."""
        decided = {*self.decided(config).values()}
        found: dict[str, str] = {}
        for name in FileReading._fields:
            values = {getattr(reading, name) for reading in decided}
            found[name] = values.pop() if len(values) == 1 else getattr(config, name)
        return config.model_copy(update=found)

    def has_paragraphs(self, source: Source) -> bool:
        """Whether a file has wrapped paragraphs, or empty lines between most of its lines."""
        seen = self._found.get(source.identity)
        if seen is None:
            return False
        return seen.line_ends.is_wrapped or 2 * seen.num_groups > seen.num_lines > 1

    @property
    def may_be_wrapped(self) -> bool:
        """Whether the lines of every file that shows it are more likely wrapped than not."""
        clear = [seen.line_ends for seen in self._found.values() if seen.line_ends.inner >= FEWEST]
        if not clear:
            return Layout(self._unclear.samples).line_ends.may_be_wrapped
        return all(ends.may_be_wrapped for ends in clear)

    def _seen(self, source: Source, sample: str, config: CorpusConfig) -> _Beginning:
        layout = Layout([sample], chosen="whole")
        ends = layout.line_ends
        may_be = config.lines == "wrapped" or ends.inner < FEWEST or ends.may_be_wrapped
        # Joining lines takes long, so only of files that may be read so and decide alone.
        is_joined = may_be and ends.may_have_cuts and layout.num_documents("line") >= FEWEST
        wrapped = layout.read_as("wrapped") if is_joined else layout
        seen = _Beginning(
            source.size,
            ends,
            layout.num_documents("line"),
            layout.num_documents("blank_line"),
            layout.documents,
            wrapped.documents,
        )
        if ends.inner < FEWEST:
            self._unclear.add(sample)
        if seen.num_lines < FEWEST:
            self._short.add(sample)
        return seen

    def _is_collection(self) -> bool:
        """Whether there are many small files of paragraphs, as of letters or posts."""
        small = [seen for seen in self._found.values() if _is_small(seen)]
        size = sum(seen.size or 0 for seen in small)
        if len(small) < MANY_FILES or size > SMALL_FILE * len(small):
            return False
        with_text = sum(seen.num_lines > 0 for seen in small)
        return sum(seen.num_groups for seen in small) >= _SEVERAL * with_text


class _Pool:
    """The beginnings of files that are decided together, as many as are needed."""

    def __init__(self) -> None:
        self.samples: list[str] = []
        self._length = 0

    def add(self, sample: str) -> None:
        if self._length < SAMPLE:
            self.samples.append(sample)
            self._length += len(sample)


def samples(sources: Sequence[Source], config: CorpusConfig) -> Iterator[str]:
    """Yield the beginnings of the first files, `SAMPLE` characters together.

    Raises:
        CorpusError: a file cannot be read.
    """
    share, left = _share(len(sources)), SAMPLE
    for source in sources:
        sample = beginning(source, config, share)
        yield sample
        left -= len(sample)
        if left <= 0:
            return


def beginning(source: Source, config: CorpusConfig, length: int) -> str:
    """Return the beginning of a file of plain text: whole lines of about so many characters.

    Raises:
        CorpusError: it cannot be read.
    """
    parts: list[str] = []
    with source.open() as file:
        for text in whole_lines(plain_text(file, source.name, source.reading(config))):
            parts.append(text)
            length -= len(text)
            if length <= 0:
                break
    return "".join(parts)


def _share(num_files: int) -> int:
    return max(SAMPLE // max(num_files, 1), SHARE)


def _is_small(seen: _Beginning) -> bool:
    return seen.size is not None and seen.size <= _LARGEST_SMALL
