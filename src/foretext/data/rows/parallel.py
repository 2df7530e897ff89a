"""Texts and the texts that they become: what text-to-text learns from and is measured by.

Two parallel files have a source and its target in the same line. A table, JSON lines or
``source<TAB>target`` have both in one row.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import normalize
from foretext.corpus.sources import find_sources
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.line_alignment import uneven_files
from foretext.data.rows.parallel_files import ParallelFiles, as_parallel_files
from foretext.data.rows.record import Record
from foretext.data.rows.records import read_lines, read_records
from foretext.data.rows.settings import LabelledConfig

__all__ = ["ParallelConfig", "ParallelText", "read_parallel"]

_Column = str | Annotated[int, Field(ge=1)]


class ParallelConfig(LabelledConfig):
    """Which columns hold the source and the target; parallel files have no columns."""

    headerless: ClassVar[dict[str, int]] = {"source": 1, "target": 2}
    may_lack_header: ClassVar[bool] = True

    source: _Column = "source"
    """Column of the text that is read."""
    target: _Column = "target"
    """Column of the text that it becomes."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form of the texts, as of a corpus."""

    @model_validator(mode="after")
    def _has_columns(self) -> Self:
        if self.format in ("fasttext", "trec"):
            raise ValueError(
                f"files of format = '{self.format}' hold single texts, not pairs of texts"
            )
        return self


class ParallelText(NamedTuple):
    """One row."""

    source: str
    target: str
    place: str  # file:line

    @property
    def text(self) -> str:
        """The source, by which rows are compared."""
        return self.source

    @property
    def is_whole(self) -> bool:
        """Whether neither text is empty."""
        return bool(self.source.strip() and self.target.strip())


def read_parallel(path: RowSource, config: ParallelConfig | None = None) -> list[ParallelText]:
    """Read sources with their targets: parallel files, CSV, TSV, JSON lines or Parquet.

    Raises:
        CorpusError: no such file, no rows, a row that is not what it should be, or two files of
            different numbers of lines.
        MissingExtraError: a package for this format is not installed.
    """
    config = config or ParallelConfig()
    files = as_parallel_files(path)
    if files is not None:
        rows = _of_files(files, config)
    else:
        rows = [_of_record(record, config) for record in read_records(path, config)]
    if not rows:
        raise CorpusError(f"{path} has no rows; give a file with sources and targets.")
    return rows


def _of_record(record: Record, config: ParallelConfig) -> ParallelText:
    source, target = (
        normalize(record.text(column), config.normalization)
        for column in (config.source, config.target)
    )
    return ParallelText(source, target, record.place)


def _of_files(files: ParallelFiles, config: ParallelConfig) -> list[ParallelText]:
    """Put the lines of both files side by side."""
    places, sources = _lines(files.source, config)
    _, targets = _lines(files.target, config)
    if len(sources) != len(targets):
        raise uneven_files(files, sources, targets)
    return [ParallelText(*row) for row in zip(sources, targets, places, strict=True)]


def _lines(name: str, config: ParallelConfig) -> tuple[list[str], list[str]]:
    """Return the places and the texts of all lines of a file, a folder or a glob."""
    places, lines = [], []
    for source in find_sources(name):
        found = read_lines(source, config.encoding, config.max_piece_bytes)
        for number, line in enumerate(found, start=1):
            places.append(f"{source.name}:{number}")
            lines.append(normalize(line, config.normalization))
    return places, lines
