"""A corpus: documents from files of many kinds, which can be streamed again and again.

Its normal form is plain text, one sentence per line and an empty line after each document. It is
read in blocks of some tens of kilobytes, never a whole file: decoding and a few passes of compiled
string functions, with no Python code for each line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError
from foretext.corpus.findings import how_read, named_files
from foretext.corpus.formats import format_of, normal_form
from foretext.corpus.layout import Layout
from foretext.corpus.readings import FileReading, Readings, samples
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.sources import Source, find_sources, left_out
from foretext.messages import message

__all__ = ["Corpus"]

_BLOCK = 1 << 20  # characters
_NAMED = 3  # files of those that are read in one way
_UNREADABLE = FileReading("whole", "line")  # of a file that cannot be read in any case


class Corpus:
    """Text from files, folders, globs, fsspec URLs or standard input, restartable.

    Args:
        sources: one or several; "-" is standard input, which the first pass copies to a temporary
            file, so that later passes can read it again.
        config: formats, encoding and where documents and sentences end.

    Attributes:
        sources: the files found, in reading order.
        bytes_read: stored bytes that the current or last pass has read, for progress.

    Raises:
        CorpusError: there is no such file; while reading: a file is damaged or of another kind.
    """

    @checked_arguments
    def __init__(
        self,
        sources: str | Path | Source | Sequence[str | Path | Source],
        config: CorpusConfig | None = None,
    ) -> None:
        self.config = config or CorpusConfig()
        only = None if self.config.format == "auto" else self.config.format
        self.sources: list[Source] = find_sources(sources, only)
        self._given, self._only = sources, only
        self.bytes_read = 0
        self._readings: Readings | None = None

    def __iter__(self) -> Iterator[str]:
        """Yield each document: its sentences separated by "\\n", never empty."""
        for block in self.blocks(_BLOCK):
            yield from block[:-2].split("\n\n")

    @checked_arguments
    def blocks(self, size: int = 4 << 20) -> Iterator[str]:
        """Yield the normal form in blocks of whole documents, about `size` characters each.

        Raises:
            CorpusError: a file is damaged or of another kind, or there is no text at all.
        """
        parts: list[str] = []
        length, num_blocks = 0, 0
        for text in self._texts():
            parts.append(text)
            length += len(text)
            if length >= size:
                yield "".join(parts)
                parts, length, num_blocks = [], 0, num_blocks + 1
        if not parts and not num_blocks:
            raise CorpusError(message("errors.no_text", corpus=self))
        if parts:
            yield "".join(parts)

    @property
    def num_bytes(self) -> int | None:
        """Number of stored bytes; None if a source is a stream."""
        sizes = [source.size for source in self.sources]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digest of paths, sizes, times of change and settings; not of the text."""
        lines = [source.identity for source in self.sources]
        text_settings = self.config.model_dump_json(exclude={"max_piece_bytes"})
        lines.append(text_settings)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]

    @property
    def layout(self) -> Layout:
        """What the beginning of the plain text says, its lines read as the settings want."""
        lines = self.config.lines
        return self.free_layout if lines == "auto" else self.free_layout.read_as(lines)

    @cached_property
    def free_layout(self) -> Layout:
        """What the beginning of the plain text says: are lines wrapped, what ends a document."""
        texts = self._plain_sources()
        sizes = [source.size for source in texts if source.size is not None]
        known = len(sizes) == len(texts)
        return Layout(list(samples(texts, self.config)), sizes if known else ())

    @cached_property
    def resolved(self) -> CorpusConfig:
        """The settings, with `lines` and `documents` by the text where they are "auto".

        Where files differ, "auto" stays, and `reading` says how each is read. Without plain text
        nothing is to be resolved.

        Raises:
            CorpusError: a file that shows its layout cannot be read.
        """
        if self._is_open and self.readings.problem is not None:
            raise self.readings.problem
        return self.resolved_where_readable

    @property
    def resolved_where_readable(self) -> CorpusConfig:
        """The settings as in `resolved`, by the files that can be read."""
        return self.readings.resolved(self.config) if self._is_open else self.config

    @cached_property
    def left_out(self) -> dict[str, int]:
        """How many files of the folders are not read, by suffix, as `sources.left_out` says."""
        return left_out(self._given, self._only)

    def reading(self, source: Source) -> CorpusConfig:
        """Return how a file is read, with nothing left open that only its text decides."""
        config = source.reading(self.config)
        decided = self.text_reading(source)
        return config if decided is None else config.model_copy(update=decided._asdict())

    def text_reading(self, source: Source) -> FileReading | None:
        """Return what its lines are and what ends a document; None: its documents are rows."""
        config = source.reading(self.config)
        if not _is_plain(source, config):
            return None
        if config.lines != "auto" and config.documents != "auto":
            return FileReading(config.lines, config.documents)
        return self._decided.get(source.identity, _UNREADABLE)

    def has_open_end(self, source: Source) -> bool:
        """Whether each paragraph of a file is a document only because nothing larger is visible."""
        decided = self.text_reading(source)
        if decided is None or decided.documents != "line" or self.config.documents != "auto":
            return False
        return self.readings.has_paragraphs(source)

    def ways(self) -> list[str]:
        """Return how files of plain text are read, in words, where they are not all read alike."""
        names: dict[FileReading, list[str]] = {}
        for source in self.sources:
            if (decided := self.text_reading(source)) is not None:
                names.setdefault(decided, []).append(source.name)
        if len(names) < 2:
            return []
        return [
            f"{named_files(files[:_NAMED], len(files))}: {how_read(*decided)}"
            for decided, files in names.items()
        ]

    @property
    def readings(self) -> Readings:
        """What the beginnings of the plain files say."""
        if self._readings is None:
            self._readings = Readings(self._plain_sources(), self.config)
        return self._readings

    @checked_arguments
    def reread(self, config: CorpusConfig) -> Corpus:
        """Return the same files, read with other settings; a stream's copy is shared."""
        corpus = Corpus(self.sources, config)
        corpus._given = self._given
        same = ("format", "encoding", "max_piece_bytes")
        is_equal = all(getattr(config, name) == getattr(self.config, name) for name in same)
        if is_equal and (config.lines != "wrapped" or self.config.lines == "wrapped"):
            corpus._readings = self._readings
        return corpus

    def __str__(self) -> str:
        names = [source.name for source in self.sources[:3]]
        more = len(self.sources) - len(names)
        return ", ".join(names) + (f" and {more} more" if more else "")

    def _texts(self) -> Iterator[str]:
        self.bytes_read = before = 0
        if self._is_open:
            _ = self.resolved  # which reads files, before one is open here
        for source in self.sources:
            with source.open() as file:
                for text in normal_form(file, source.name, self.reading(source)):
                    self.bytes_read = before + file.tell()
                    yield text
                before += file.tell() if source.size is None else source.size
            self.bytes_read = before

    @property
    def _is_open(self) -> bool:
        """Whether something is left open that the text decides."""
        return "auto" in (self.config.lines, self.config.documents) and bool(self._plain_sources())

    @cached_property
    def _decided(self) -> dict[str, FileReading]:
        return self.readings.decided(self.config)

    def _plain_sources(self) -> list[Source]:
        return [each for each in self.sources if _is_plain(each, each.reading(self.config))]


def _is_plain(source: Source, config: CorpusConfig) -> bool:
    return format_of(source.name, config) == "txt"
