"""Rows of sentence vectors: texts alone, pairs, triples with a negative, or scored pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from foretext.base.errors import CorpusError
from foretext.corpus.decoding import normalize
from foretext.corpus.foreign_tables import column_names
from foretext.corpus.sources import Source, find_sources
from foretext.data.rows.guessed_columns import (
    found_columns,
    found_objects,
    plain_lines,
    refuse_labels,
)
from foretext.data.rows.in_memory import RowSource, json_lines
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.records import read_records
from foretext.data.rows.settings import Column, LabelledConfig

__all__ = ["SentenceRow", "SentencesConfig", "read_sentences", "sentence_lines"]

_Column = str | Annotated[int, Field(ge=1)]


class SentencesConfig(LabelledConfig):
    """Which columns hold the texts; those that are not named are found by their usual names."""

    headerless: ClassVar[dict[str, int]] = {"text_a": 1, "text_b": 2}

    text: _Column | None = None
    """Column of texts that stand alone; none: by its name."""
    text_a: _Column | None = None
    """Column of the first text of a pair, the anchor; none: by its name."""
    text_b: _Column | None = None
    """Column of the text that belongs to it, the positive; none: by its name."""
    negative: _Column | None = None
    """Column of a text that does not belong to the anchor; none: by its name."""
    score: _Column | None = None
    """Column of the similarity of two texts, a number; none: by its name."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form of the texts, as of a corpus."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns that are named."""
        named = (self.text, self.text_a, self.text_b, self.negative, self.score)
        return tuple(each for each in named if each is not None)

    @model_validator(mode="after")
    def _one_kind_of_row(self) -> Self:
        of_pairs = (self.text_b, self.negative, self.score)
        if self.text is not None and (self.text_a, *of_pairs) != (None,) * 4:
            raise ValueError("text names texts that stand alone; of pairs name text_a and text_b")
        if (self.text_a is None) != (self.text_b is None):
            raise ValueError("pairs have two columns; name text_a and text_b")
        if self.text_a is None and of_pairs != (None,) * 3:
            raise ValueError("negative and score belong to pairs; name text_a and text_b, too")
        if self.negative is not None and self.score is not None:
            raise ValueError("pairs have a negative or a score: name one of the two")
        if self.format in ("fasttext", "trec"):
            raise ValueError(
                f"files of format = '{self.format}' hold labels, too; give txt, tsv, csv or jsonl"
            )
        return self


class SentenceRow(NamedTuple):
    """One row."""

    text_a: str  # the text, or the anchor
    text_b: str | None  # the positive, or the other text of a scored pair
    negative: str | None
    score: float | None
    place: str  # file:line

    @property
    def kind(self) -> Literal["texts", "pairs", "triples", "scores"]:
        """What all rows of a file are."""
        if self.text_b is None:
            return "texts"
        if self.score is not None:
            return "scores"
        return "pairs" if self.negative is None else "triples"

    @property
    def texts(self) -> tuple[str, ...]:
        """One to three texts."""
        return tuple(each for each in (self.text_a, self.text_b, self.negative) if each is not None)

    @property
    def text(self) -> str:
        """All texts, by which rows are compared."""
        return "\n".join(self.texts)

    @property
    def labels(self) -> tuple[str, ...]:
        """None; rows of other tasks have some."""
        return ()


def read_sentences(path: RowSource, config: SentencesConfig | None = None) -> list[SentenceRow]:
    """Read rows: a text a line, or columns of CSV, TSV, JSON lines or Parquet.

    Without names of columns a tab separates anchor and positive, and a third column holds the
    negative, or the score where it is a number. Labels of fastText and TREC are left out.

    Raises:
        CorpusError: no such file, no rows, rows of several kinds, or a row that is not what it
            should be.
        MissingExtraError: a package for this format is not installed.
    """
    config = config or SentencesConfig()
    rows = [row for source in find_sources(path) for row in _rows(source, config)]
    if not rows:
        raise CorpusError(f"{path} has no rows; give a file with texts or pairs of texts.")
    for row in rows:
        if row.kind != rows[0].kind:
            raise CorpusError(
                f"{row.place}: the row is one of {row.kind}, and those before it are {rows[0].kind}"
                "; give rows of one kind."
            )
    return rows


def sentence_lines(given: Any) -> Iterator[str]:
    """Yield rows that Python holds as JSON objects.

    Args:
        given: texts, tuples of two texts, or of three with a negative or a score, dicts, or a
            table; (anchors, positives) are two lists.

    Raises:
        CorpusError: a row is something else.
    """
    if column_names(given) is not None or isinstance(given, tuple):
        yield from json_lines(given, ("text_a", "text_b"))
        return
    if not isinstance(given, Iterable):
        raise CorpusError(
            f"{type_name(given)} is given, where rows are expected; give a file, or a list of "
            "texts or of tuples of texts."
        )
    rows = iter(given)
    first = next(rows, None)
    every: Iterable[Any] = chain([] if first is None else [first], rows)
    if isinstance(first, str):
        every = ((row,) if isinstance(row, str) else row for row in every)
    yield from json_lines(every, _names_of(first))


def _names_of(row: Any) -> tuple[str, ...]:
    """Return the names of the values of a tuple."""
    if isinstance(row, str):
        return ("text",)
    third = row[2] if isinstance(row, list | tuple) and len(row) == 3 else None
    if third is None:
        return ("text_a", "text_b")
    return ("text_a", "text_b", "negative" if isinstance(third, str) else "score")


def _rows(source: Source, config: SentencesConfig) -> Iterator[SentenceRow]:
    if not config.columns and (objects := found_objects(source, config)) is not None:
        yield from (_row(record, _columns_of(record), config) for record in objects)
        return
    if not config.columns:
        lines = plain_lines(source, config)
        if lines is not None:
            yield from (_row(record, _TEXT, config) for record in lines)
            return
        yield from _found(source, config)
        return
    for record in read_records(source, config):
        yield _row(record, config, config)


def _found(source: Source, config: SentencesConfig) -> list[SentenceRow]:
    """Read a file by the columns that are found in it, which are none of labels."""
    config = config.model_copy(update=found_columns(source, config))
    rows = [_row(record, config, config) for record in read_records(source, config)]
    pairs = [(row.text_a, row.text_b) for row in rows if row.text_b is not None]
    if config.is_numbered and pairs:
        refuse_labels([*zip(*pairs, strict=True)], source.name)
    return rows


def _columns_of(record: Record) -> SentencesConfig:
    """Return the columns of a record, which have the names of the settings."""
    return SentencesConfig.checked({str(name): str(name) for name in record.values}, "rows")


def _row(record: Record, columns: SentencesConfig, config: SentencesConfig) -> SentenceRow:
    first = columns.text if columns.text_a is None else columns.text_a
    assert first is not None, "columns are named or found"
    texts = [
        None if column is None else _text(record, column, config)
        for column in (first, columns.text_b, columns.negative)
    ]
    score = None if columns.score is None else record.number(columns.score)
    return SentenceRow(str(texts[0]), texts[1], texts[2], score, record.place)


def _text(record: Record, column: Column, config: SentencesConfig) -> str:
    text = normalize(record.text(column), config.normalization)
    if not text.strip():
        raise record.error(f"'{column}' is empty; fill it in or remove the row.")
    return text


_TEXT = SentencesConfig(text="text")
