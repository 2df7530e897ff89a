"""Sentences with a tag for each token, in columns as CoNLL has them, or as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from foretext.config import Config
from foretext.corpus.compression import LARGEST_PIECE
from foretext.corpus.encoding import Encoding
from foretext.corpus.normalization import normalize
from foretext.corpus.source import Source
from foretext.corpus.sources import find_sources
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.records import read_lines
from foretext.data.rows.tagged_objects import TaggedObject, has_objects, tagged_objects
from foretext.errors import CorpusError, SettingError

__all__ = ["TaggedConfig", "TaggedSentence", "read_tagged"]

_DOCUMENT = "-DOCSTART-"

_Number = Annotated[int, Field(ge=1)]
Row = tuple[int, list[str]]  # its line, its columns


class TaggedConfig(Config):
    """Which columns hold tokens and tags, counted from 1, and what separates them."""

    token: _Number = 1
    """Column of the token, counted from 1."""
    tag: _Number | Literal["last"] | None = "last"
    """Column of the tag, counted from 1; none: the tokens have no tags."""
    separator: str = Field(default="auto", min_length=1)
    """What separates columns; auto: tabs if the first row has one, else blanks."""
    comment: str | None = Field(default=None, min_length=1)
    """Beginning of lines that are skipped."""
    encoding: Encoding = "utf-8"
    """Encoding of the files; a byte order mark is accepted."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form of the tokens, as of a corpus."""
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)
    """Bytes of a row, at most."""

    @property
    def columns_chosen(self) -> set[str]:
        """The settings of columns that were set; JSON lines have none."""
        number = {"tag"} if isinstance(self.tag, int) else set()
        return self.changed & {"token", "separator", "comment", *number}

    @model_validator(mode="after")
    def _two_columns(self) -> Self:
        if self.token == self.tag:
            raise ValueError("token and tag are the same column")
        return self


class TaggedSentence(NamedTuple):
    """One sentence; as many tags as tokens, or none."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    file: str
    lines: tuple[int, ...]  # of each token

    @property
    def place(self) -> str:
        """``file:line`` of the first token."""
        return f"{self.file}:{self.lines[0]}"

    @property
    def text(self) -> str:
        """All tokens, by which sentences are compared."""
        return " ".join(self.tokens)

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags, as texts have labels."""
        return self.tags


def read_tagged(path: RowSource, config: TaggedConfig | None = None) -> list[TaggedSentence]:
    """Read a token a line, its columns separated by blanks or tabs, an empty line after a sentence.

    Lines whose first column is ``-DOCSTART-`` are skipped. Files of JSON lines (``.jsonl``) have
    the lists ``tokens`` and ``tags`` of a sentence in each line.

    Raises:
        CorpusError: no such file, no sentences, or a row with too few or too many columns.
        SettingError: a setting of columns has no effect on JSON lines.
    """
    config = config or TaggedConfig()
    sentences = [each for source in find_sources(path) for each in _of_file(source, config)]
    if not sentences:
        raise CorpusError(f"{path} has no sentences; give a file with a token and its tag a line.")
    return sentences


def _of_file(source: Source, config: TaggedConfig) -> Iterator[TaggedSentence]:
    lines = read_lines(source, config.encoding, config.max_piece_bytes)
    if not has_objects(source.name):
        return _sentences(lines, source.name, config)
    if idle := config.columns_chosen:
        raise SettingError(
            f"[rows] {min(idle)} has no effect on {source.name}: each of its lines is a JSON "
            "object with 'tokens' and 'tags'; leave it out."
        )
    found = tagged_objects(lines, source.name, has_tags=config.tag is not None)
    return (_of_object(each, source.name, config) for each in found)


def _of_object(found: TaggedObject, name: str, config: TaggedConfig) -> TaggedSentence:
    tokens = tuple(normalize(token, config.normalization) for token in found.tokens)
    return TaggedSentence(tokens, tuple(found.tags), name, (found.line,) * len(tokens))


def _sentences(lines: Iterable[str], name: str, config: TaggedConfig) -> Iterator[TaggedSentence]:
    rows: list[Row] = []
    for row in chain(_rows(lines, name, config), ((0, []),)):
        if row[1]:
            rows.append(row)
        elif rows:
            yield _sentence(rows, name, config)
            rows = []


def _rows(lines: Iterable[str], name: str, config: TaggedConfig) -> Iterator[Row]:
    """Yield the columns of each line, none at the end of a sentence."""
    separator, width = config.separator, 0
    for number, line in enumerate(lines, start=1):
        if config.comment is not None and line.startswith(config.comment):
            continue
        if not line.strip(" \t\r"):
            yield number, []
            continue
        if separator == "auto":
            separator = "\t" if "\t" in line else " "
        columns = _columns(line, separator)
        if columns[0] == _DOCUMENT:
            yield number, []
            continue
        width = width or len(columns)
        _check_width(columns, width, config, f"{name}, line {number}")
        yield number, columns


def _columns(line: str, separator: str) -> list[str]:
    """Take a line apart; of blanks any number separates, and a wide blank may be a token."""
    columns = line.split(separator)
    return [column for column in columns if column] if separator == " " else columns


def _check_width(columns: list[str], width: int, config: TaggedConfig, where: str) -> None:
    if len(columns) != width:
        raise CorpusError(
            f"{where}: {len(columns)} columns where the first row has {width}; correct the row, or "
            "set rows.separator (--set rows.separator=...)."
        )
    wanted = [number for number in (config.token, config.tag) if isinstance(number, int)]
    least = max([*wanted, 2 if config.tag == "last" else 1])
    if width < least:
        raise CorpusError(
            f"{where}: there is no column {least}, the row has {width}: '{columns[0][:40]}'; set "
            "--token, --tag or rows.separator."
        )


def _sentence(rows: list[Row], name: str, config: TaggedConfig) -> TaggedSentence:
    tokens = tuple(
        normalize(columns[config.token - 1], config.normalization) for _, columns in rows
    )
    at = -1 if config.tag == "last" else (config.tag or 0) - 1
    tags = () if config.tag is None else tuple(columns[at].strip() for _, columns in rows)
    lines = tuple(line for line, _ in rows)
    for what, values in (("token", tokens), ("tag", tags)):
        if "" in values:
            raise CorpusError(f"{name}, line {lines[values.index('')]}: the {what} is empty.")
    return TaggedSentence(tokens, tags, name, lines)
