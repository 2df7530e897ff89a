"""A file of inputs, opened once: its first lines say what it is, whatever its name.

It is read once from its beginning to its end, so that standard input needs no copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from io import BytesIO
from itertools import chain, islice
from typing import BinaryIO, cast

from foretext.base.terminal import standard_input
from foretext.corpus.sources import STANDARD_INPUT, Source, find_sources
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.label_formats.docbin import docbin_records
from foretext.data.rows.record import Record
from foretext.data.rows.records import (
    HEAD,
    RowFormat,
    format_of,
    format_within,
    parquet_records,
    read_lines,
)
from foretext.data.rows.settings import LabelledConfig

__all__ = ["InputFile", "input_files"]

HAS_RECORDS = ("parquet", "docbin")  # formats without lines


class InputFile:
    """A file of rows or of plain lines.

    Args:
        source: of the file.
        config: its format, its encoding, and how long a row may be.
    """

    def __init__(self, source: Source, config: LabelledConfig) -> None:
        self.source, self.config = source, config
        self.name = source.name
        named = format_of(source, config)
        self._lines = iter(()) if named in HAS_RECORDS else self._read()
        self.head = list(islice(self._lines, HEAD))
        self.format: RowFormat = format_within(self.head, named, config)

    @property
    def has_records(self) -> bool:
        """Whether it has no lines, but `records` of its own."""
        return self.format in HAS_RECORDS

    @property
    def is_plain(self) -> bool:
        """Whether its name says nothing of columns."""
        return self.format == "auto"

    @property
    def first(self) -> str:
        """The first line that is not empty; "" without one."""
        return next((line for line in self.head if line.strip()), "")

    def lines(self) -> Iterator[str]:
        """Yield all lines, once."""
        return chain(self.head, self._lines)

    def records(self) -> Iterator[Record]:
        """Yield the rows of Parquet or the documents of a DocBin, with all columns."""
        if self.format == "docbin":
            return docbin_records(self.source)
        return parquet_records(self.source, self.config, every=True)

    def whole(self) -> tuple[Source, str]:
        """Return a source and its encoding, for a reader of whole files.

        What comes as a stream, and is read once, is decoded and kept in memory.
        """
        if self.source.size is not None:
            return self.source, self.config.encoding
        data = "\n".join(self.lines()).encode("utf-8", "surrogatepass")
        return Source(self.name, self.source.identity, len(data), lambda: BytesIO(data)), "utf-8"

    def _read(self) -> Iterator[str]:
        return read_lines(self.source, self.config.encoding, self.config.max_piece_bytes)


def input_files(given: RowSource, config: LabelledConfig) -> Iterator[InputFile]:
    """Yield the files that `given` names; standard input is read as it comes.

    Raises:
        CorpusError: there is no such file, or it cannot be read.
    """
    found = (
        [_as_it_comes()]
        if isinstance(given, str) and given == STANDARD_INPUT
        else find_sources(cast(Source, given))
    )
    return (InputFile(source, config) for source in found)


def _as_it_comes() -> Source:
    def opener() -> BinaryIO:
        return cast(BinaryIO, nullcontext(standard_input()))

    return Source("standard input", STANDARD_INPUT, None, opener)
