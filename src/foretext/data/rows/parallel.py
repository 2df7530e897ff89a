"""Texts and the texts that they become: what text-to-text learns from and is measured by.

Two parallel files have a source and its target in the same line. A table, JSON lines or
``source<TAB>target`` have both in one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import normalize
from foretext.corpus.findings import Problem
from foretext.corpus.sources import find_sources
from foretext.data.rows.findings import counted_doubt, doubt, gravest_first, problem_of, share_of
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.parallel_files import ParallelFiles, as_parallel_files
from foretext.data.rows.record import Record
from foretext.data.rows.records import read_lines, read_records
from foretext.data.rows.settings import LabelledConfig

__all__ = [
    "ParallelConfig",
    "ParallelText",
    "find_parallel_problems",
    "first_misfit",
    "read_parallel",
]

_Column = str | Annotated[int, Field(ge=1)]

_MOST = 1.5  # misfit of a line, at most, so that a few odd ones do not decide

_ENOUGH = 20  # rows from which the ratio of lengths means something
_ODD = 9.0  # times the usual ratio of lengths from which texts may not belong together
_MANY = 0.01  # share of rows from which repetition or copying is worth a warning


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
        raise _uneven_files(files, sources, targets)
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


def _uneven_files(
    names: tuple[str, str], sources: Sequence[str], targets: Sequence[str]
) -> CorpusError:
    """Return the error of two files with different numbers of lines."""
    line = first_misfit(sources, targets)
    shown = [
        f"'{_beginning(lines[line])}'" if line < len(lines) else "no line"
        for lines in (sources, targets)
    ]
    return CorpusError(
        f"{names[0]} has {len(sources):,} lines and {names[1]} has {len(targets):,}, so that it is "
        f"not known which belong together; the lengths stop to fit at about line {line + 1:,} "
        f"({shown[0]} beside {shown[1]}): look there for a line that is missing, empty or divided."
    )


def first_misfit(sources: Sequence[str], targets: Sequence[str]) -> int:
    """Return the line, from 0, from which on the lines of the longer file are shifted.

    Lines before it fit those of the same number, lines after it those that are as many further on
    as one file has more: the place is chosen that makes the ratios of their lengths most alike.
    """
    shorter, longer = (
        np.log1p(np.array([len(line) for line in lines], np.float64))
        for lines in sorted((sources, targets), key=len)
    )
    if not len(shorter):
        return 0
    more = len(longer) - len(shorter)
    usual = float(np.median(longer) - np.median(shorter))
    here = _misfits(shorter, longer[: len(shorter)], usual)
    shifted = _misfits(shorter, longer[more:], usual)
    before = np.concatenate([[0.0], np.cumsum(here)])
    behind = np.concatenate([np.cumsum(shifted[::-1])[::-1], [0.0]])
    return int((before + behind).argmin())


def _misfits(
    shorter: NDArray[np.float64], longer: NDArray[np.float64], usual: float
) -> NDArray[np.float64]:
    """Return how far the log-ratio of each pair of lengths is from the usual one."""
    return np.minimum(np.abs(longer - shorter - usual), _MOST)


def _beginning(line: str) -> str:
    return line if len(line) <= 40 else f"{line[:37]}..."


def find_parallel_problems(
    train: Sequence[ParallelText], test: Sequence[ParallelText] = ()
) -> list[Problem]:
    """Return the problems of rows to learn from and to test on, the gravest first."""
    found = [*_empty([*train, *test]), *_header(train), *_copies(train), *_odd_lengths(train)]
    return gravest_first([*found, *_repeats(train), *_overlap(train, test)])


def _empty(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    empty = [row for row in rows if not row.is_whole]
    if len(empty) == len(rows):
        yield problem_of("error", doubt("no_pairs"))
    elif empty:
        yield problem_of(
            "warning",
            counted_doubt("half_empty", empty),
            empty[0],
        )


def _header(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    """Name a first row that looks like the names of two columns."""
    if len(rows) < _ENOUGH or not rows[0].place.endswith(":1"):
        return
    words = [len(text.split()) for text in (rows[0].source, rows[0].target)]
    usual = np.median([len(row.source.split()) for row in rows])
    if max(words) == 1 and usual > 2:
        yield problem_of(
            "warning",
            doubt("pair_header", source=rows[0].source, target=rows[0].target),
            rows[0],
        )


def _copies(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    same = [row for row in rows if row.is_whole and row.source.strip() == row.target.strip()]
    if len(same) == len(rows) or len(same) < _MANY * len(rows) or not same:
        return
    yield problem_of(
        "warning",
        doubt("copies", **share_of(same, rows)),
        same[0],
    )


def _odd_lengths(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    whole = [row for row in rows if row.is_whole]
    if len(whole) < _ENOUGH:
        return
    ratios = np.log([len(row.target) / len(row.source) for row in whole])
    odd = np.flatnonzero(np.abs(ratios - np.median(ratios)) > np.log(_ODD))
    if len(odd):
        yield problem_of(
            "note",
            doubt("odd_lengths", **share_of(odd, rows), factor=_ODD),
            whole[odd[0]],
        )


def _repeats(rows: Sequence[ParallelText]) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    again = []
    for row in rows:
        key = (row.source, row.target)
        if key in seen:
            again.append(row)
        seen.add(key)
    if again:
        yield problem_of(
            "warning" if len(again) >= _MANY * len(rows) else "note",
            doubt("repeated_pairs", **share_of(again, rows)),
            again[0],
        )


def _overlap(train: Sequence[ParallelText], test: Sequence[ParallelText]) -> Iterator[Problem]:
    known = {row.source for row in train}
    if both := [row for row in test if row.source in known]:
        yield problem_of(
            "warning",
            doubt("same_source", **share_of(both, test)),
            both[0],
        )
