"""Two texts with a label or a score: what matching learns from and is measured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import normalize
from foretext.data.rows.exchanged_columns import refuse_exchange
from foretext.data.rows.guessed_columns import (
    AmbiguousColumnsError,
    PairColumns,
    find_pair_columns,
    header_of,
    names_texts,
)
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.record import Record
from foretext.data.rows.records import read_records
from foretext.data.rows.settings import Column, LabelledConfig
from foretext.data.rows.texts import label_of, refuse_header
from foretext.messages import message

__all__ = [
    "LabelledPair",
    "PairsConfig",
    "TextPair",
    "found_pairs_config",
    "names_text_pairs",
    "pairs_of",
    "read_pairs",
]

TextPair = tuple[str, str]
_Column = str | Annotated[int, Field(ge=1)]

SAMPLE = 1000  # rows
NUMBERED = {"text_a": 1, "text_b": 2, "label": 3}  # reads every row, the header too, by numbers


class PairsConfig(LabelledConfig):
    """Which columns hold the texts, and which what they are to each other."""

    headerless: ClassVar[dict[str, int]] = {"text_a": 1, "text_b": 2, "label": 3}

    text_a: _Column = "text_a"
    """Column of the first text."""
    text_b: _Column = "text_b"
    """Column of the second text."""
    label: _Column | None = "label"
    """Column of the label; none: the rows have none."""
    score: _Column | None = None
    """Column of a number, in place of a label."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form of the texts, as of a corpus."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns that are read."""
        judgement = self.label if self.score is None else self.score
        return tuple(each for each in (self.text_a, self.text_b, judgement) if each is not None)

    @model_validator(mode="after")
    def _one_judgement(self) -> Self:
        if self.score is not None and "label" in self.changed and self.label is not None:
            raise ValueError("pairs have a label or a score: set one of the two")
        if self.format in ("fasttext", "trec"):
            raise ValueError(f"files of format = '{self.format}' hold single texts, not pairs")
        return self


class LabelledPair(NamedTuple):
    """One row; it has a label, a score, or neither."""

    text_a: str
    text_b: str
    label: str | None  # of a file a `Label`, which has its value
    score: float | None
    place: str  # file:line

    @property
    def text(self) -> str:
        """Both texts, by which rows are compared."""
        return f"{self.text_a}\n{self.text_b}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The label as texts have theirs."""
        return () if self.label is None else (self.label,)


def pairs_of(rows: Sequence[LabelledPair]) -> list[TextPair]:
    """Return the texts of rows."""
    return [(row.text_a, row.text_b) for row in rows]


def read_pairs(path: RowSource, config: PairsConfig | None = None) -> list[LabelledPair]:
    """Read pairs: CSV, TSV, JSON lines, Parquet or ``text_a<TAB>text_b<TAB>label``.

    Raises:
        CorpusError: no such file, no rows, or a row that is not what it should be.
        MissingExtraError: a package for this format is not installed.
    """
    config = config or PairsConfig()
    rows = [_pair(record, config) for record in read_records(path, config)]
    if not rows:
        raise CorpusError(message("errors.rows.no_pairs", name=path))
    if config.is_numbered:
        refuse_header(rows, num_texts=2)
    labels = [label for row in rows for label in row.labels]
    if len(labels) == len(rows):
        texts_a, texts_b = [row.text_a for row in rows], [row.text_b for row in rows]
        refuse_exchange(path, config, {"text_a": texts_a, "text_b": texts_b, "label": labels})
    return rows


def _pair(record: Record, config: PairsConfig) -> LabelledPair:
    text_a, text_b = (
        normalize(record.text(column), config.normalization)
        for column in (config.text_a, config.text_b)
    )
    score = None if config.score is None else record.number(config.score)
    column = config.label if config.score is None else None
    label = None if column is None else label_of(_single(record.value(column)), record)
    return LabelledPair(text_a, text_b, label, score, record.place)


def _single(value: Any) -> Any:
    """Return the one label of a list, as programs export it in which people label texts."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def found_pairs_config(path: str | Path) -> PairsConfig:
    """Return the settings for a file of pairs: names of columns, or numbers without a header.

    Raises:
        CorpusError: the file cannot be read, or its columns cannot be told apart.
    """
    header, rows = _sample(path)
    if not rows:
        raise CorpusError(message("errors.rows.no_pairs", name=path))
    try:
        found = find_pair_columns(header, rows)
    except AmbiguousColumnsError as error:
        shown = ", ".join(repr(name) for name in header or []) or "no header"
        raise CorpusError(
            f"{path}: {error} (columns: {shown}); name the columns with --text-a, --text-b, and "
            "--score or --label; by their numbers from 1 where there is no header."
        ) from None
    return PairsConfig.checked(_settings(found, header), "rows")


def names_text_pairs(path: str | Path) -> bool:
    """Whether the header of a file, or its first JSON object, names two texts.

    Raises:
        CorpusError: the file cannot be read.
    """
    try:
        header, _ = _sample(path, rows=2)
    except CorpusError:  # it is a text, which has no columns
        return False
    return header is not None and names_texts(header)


def _settings(found: PairColumns, header: list[str] | None) -> dict[str, Any]:
    def column(place: int) -> str | int:
        return place + 1 if header is None else header[place]

    settings: dict[str, Any] = {"text_a": column(found.text_a), "text_b": column(found.text_b)}
    if found.score is not None:
        return settings | {"score": column(found.score), "label": None}
    assert found.label is not None
    return settings | {"label": column(found.label)}


def _sample(path: str | Path, rows: int = SAMPLE) -> tuple[list[str] | None, list[list[str]]]:
    """Return the names of the columns, None without a header, and the first rows."""
    records = islice(read_records(path, PairsConfig.checked(NUMBERED, "rows")), rows + 1)
    values: list[Mapping[Any, Any]] = [record.values for record in records]
    if values and all(isinstance(name, str) for name in values[0]):  # JSON
        names = list(values[0])
        return names, [[_cell(row.get(name)) for name in names] for row in values]
    cells = [[_cell(cell) for cell in row.values()] for row in values]
    header = header_of(cells)
    return header, cells if header is None else cells[1:]


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
