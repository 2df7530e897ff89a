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

from foretext.corpus.formats import format_of, normal_form, plain_text
from foretext.corpus.layout import Layout
from foretext.corpus.lines import whole_lines
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.source import Source
from foretext.corpus.sources import find_sources
from foretext.errors import CorpusError

__all__ = ["Corpus"]

_SAMPLE = 1 << 20  # characters that show the layout
_SHARE = 1 << 15  # of them, at least, from each file


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

    def __init__(
        self,
        sources: str | Path | Source | Sequence[str | Path | Source],
        config: CorpusConfig | None = None,
    ) -> None:
        self.config = config or CorpusConfig()
        only = None if self.config.format == "auto" else self.config.format
        self.sources: list[Source] = find_sources(sources, only)
        self.bytes_read = 0

    def __iter__(self) -> Iterator[str]:
        """Yield each document: its sentences separated by "\\n", never empty."""
        for block in self.blocks(_SAMPLE):
            yield from block[:-2].split("\n\n")

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
            raise CorpusError(f"{self}: there is no text in it; give another corpus.")
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
        return Layout(list(self._plain_samples()), sizes if known else ())

    @cached_property
    def resolved(self) -> CorpusConfig:
        """The settings, with `lines` and `documents` by the layout where they are "auto".

        Without plain text nothing is to be resolved.

        Raises:
            CorpusError: a file that shows the layout cannot be read.
        """
        config = self.config
        if "auto" not in (config.lines, config.documents) or not self._plain_sources():
            return config
        found = {"lines": self.layout.lines, "documents": config.documents}
        if config.documents == "auto":
            found["documents"] = self.layout.documents
        return config.model_copy(update=found)

    def reread(self, config: CorpusConfig) -> Corpus:
        """Return the same files, read with other settings; a stream's copy is shared."""
        return Corpus(self.sources, config)

    def __str__(self) -> str:
        names = [source.name for source in self.sources[:3]]
        more = len(self.sources) - len(names)
        return ", ".join(names) + (f" and {more} more" if more else "")

    def _texts(self) -> Iterator[str]:
        config = self.resolved  # before opening a file, because this reads files
        self.bytes_read = before = 0
        for source in self.sources:
            with source.open() as file:
                for text in normal_form(file, source.name, source.reading(config)):
                    self.bytes_read = before + file.tell()
                    yield text
                before += file.tell() if source.size is None else source.size
            self.bytes_read = before

    def _plain_sources(self) -> list[Source]:
        return [
            source
            for source in self.sources
            if format_of(source.name, source.reading(self.config)) == "txt"
        ]

    def _plain_samples(self) -> Iterator[str]:
        """Yield the beginnings of files of plain text, `_SAMPLE` characters together."""
        sources, left = self._plain_sources(), _SAMPLE
        share = max(_SAMPLE // max(len(sources), 1), _SHARE)
        for source in sources:
            parts: list[str] = []
            length = 0
            with source.open() as file:
                config = source.reading(self.config)
                for text in whole_lines(plain_text(file, source.name, config)):
                    parts.append(text)
                    length += len(text)
                    if length >= share:
                        break
            yield "".join(parts)
            left -= length
            if left <= 0:
                return
