"""Sentences with a tag for each token: columns of CoNLL or CoNLL-U, JSON lines, or Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from foretext.base.config import Config
from foretext.base.counted import counted
from foretext.base.errors import CorpusError, SettingError
from foretext.base.parsing.json_file import json_object
from foretext.corpus.compression import LARGEST_PIECE, without_compression_suffix
from foretext.corpus.decoding import normalize
from foretext.corpus.encoding import Encoding
from foretext.corpus.sources import Source, find_sources
from foretext.data.rows.in_memory import TAGS, RowSource
from foretext.data.rows.label_formats.conllu import entity_name, features_of, placed_text
from foretext.data.rows.label_formats.docbin import docbin_records
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.records import (
    format_of,
    json_records,
    parquet_records,
    read_lines,
    until_text,
)
from foretext.data.rows.settings import RowsConfig
from foretext.data.rows.spans import Misfit, RawText, spanned_text
from foretext.data.rows.texts import label_of
from foretext.messages import message

__all__ = ["TOKENS", "TaggedConfig", "TaggedSentence", "read_tagged"]

_DOCUMENT = "-DOCSTART-"
_USUAL_COMMENT = "#"
_UD_COLUMNS = 10  # of CoNLL-U: ID, FORM, LEMMA, UPOS, ...
_UD_TOKEN, _UD_TAG = 2, 4
_UD_ID = re.compile(r"[0-9]+([-.][0-9]+)?")  # 1-2 is a range of tokens, 8.1 an empty node
_UD_MISC = 9  # from 0


class _Row(NamedTuple):
    """A line: its token and its tag, none at the end of a sentence; the last column of CoNLL-U."""

    line: int
    columns: list[str]
    misc: str = ""


FEWEST = 10  # tokens, each marked by itself, from which their labels are no entities
TOKENS = ("tokens", "words")  # usual names of lists of tokens
SUFFIXES = (".jsonl", ".ndjson", ".json")


def _as_tuple(given: Any) -> Any:
    """Take a list, which TOML has where Python has a tuple."""
    return tuple(given) if isinstance(given, list) else given


def _not_none(name: str) -> str:
    """Refuse the word that TOML and the command line have for None."""
    if name == "none":
        raise ValueError("'none' stands for no column")
    return name


_Name = Annotated[str, Field(min_length=1), AfterValidator(_not_none)]
_Column = Annotated[int, Field(ge=1)] | _Name
_Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_tuple)]


class TaggedConfig(Config):
    """Which columns hold tokens and tags, counted from 1, and what separates them."""

    token: _Column = 1
    """Column of the token, counted from 1; in CoNLL-U the second; of JSON lines its name."""
    tag: _Column | None = "last"
    """Column of the tag, or last; in CoNLL-U the fourth; of JSON lines its name; none: no tags."""
    tag_names: _Names | None = None
    """Names of tags that are numbers, the first one that of 0."""
    separator: str = Field(default="auto", min_length=1)
    """What separates columns; auto: tabs if the first row has one, else blanks."""
    comment: str | None = Field(default=None, min_length=1)
    """Beginning of lines that are skipped if they do not have the columns of a token."""
    max_tokens: int = Field(default=4096, ge=1)
    """Tokens of a sentence, at most; more of them show that empty lines are missing."""
    encoding: Encoding = "utf-8"
    """Encoding of the files; a byte order mark is accepted."""
    normalization: Literal["none", "NFC", "NFKC"] = "NFC"
    """Unicode normal form of the tokens, as of a corpus."""
    max_piece_bytes: int = Field(default=LARGEST_PIECE, ge=1 << 20, le=1 << 31)
    """Bytes of a row, at most."""

    @property
    def idle_for_objects(self) -> set[str]:
        """The settings that were set, but that JSON lines and Parquet do not have."""
        numbers = {name for name in ("token", "tag") if isinstance(getattr(self, name), int)}
        return self.changed & {"separator", "comment", *numbers}

    @property
    def named_columns(self) -> dict[str, str]:
        """The columns that are named, as those of JSON lines."""
        chosen = {"token": self.token, "tag": self.tag}
        named = {name: column for name, column in chosen.items() if isinstance(column, str)}
        return {name: column for name, column in named.items() if column != "last"}

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
    misfits: tuple[Misfit, ...] | None = None  # of spans in a raw text: what tags do not say
    raw: RawText | None = None  # the text, where the file says more of it than its tokens

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

    Lines whose first column is ``-DOCSTART-`` end a sentence. Ten columns with ids in front are
    CoNLL-U: lines of ranges (``1-2``) and of empty nodes (``8.1``) are no tokens, and the tags are
    those of UPOS. JSON lines and Parquet have the lists ``tokens`` and ``tags`` of a sentence in
    each row; a list ``ner_tags`` is taken before ``pos_tags``. Rows of raw texts with ``spans``, as
    Label Studio, doccano and Prodigy export them, become tokens, too.

    Raises:
        CorpusError: no such file, no sentences, a row with too few or too many columns, or a
            sentence of more than `max_tokens`.
        MissingExtraError: pyarrow is not installed, and the file is one of Parquet.
        SettingError: a setting of columns has no effect on JSON lines, or names none of them.
    """
    config = config or TaggedConfig()
    sentences = [each for source in find_sources(path) for each in _of_file(source, config)]
    if not sentences:
        raise CorpusError(message("errors.rows.no_sentences", name=path))
    return _single_tags(sentences)


def _single_tags(sentences: list[TaggedSentence]) -> list[TaggedSentence]:
    """Return sentences in which every token is marked by itself with tags of no entities."""
    tags = [tag for row in sentences for tag in row.tags]
    are_spans = all(row.misfits is not None for row in sentences)
    if not are_spans or len(tags) < FEWEST or not all(tag.startswith("B-") for tag in tags):
        return sentences
    return [row._replace(tags=tuple(tag[2:] for tag in row.tags)) for row in sentences]


def _of_file(source: Source, config: TaggedConfig) -> Iterator[TaggedSentence]:
    reading = RowsConfig(max_piece_bytes=config.max_piece_bytes)
    format = format_of(source, reading)
    if format == "docbin":
        return _of_objects(docbin_records(source), source.name, config, "rows")
    if format == "parquet":
        named = config.tag_names is None  # by the file, where the user gives no names
        rows = parquet_records(source, reading, every=True, named=named)
        return _of_objects(rows, source.name, config, "rows")
    lines = read_lines(source, config.encoding, config.max_piece_bytes)
    head = list(until_text(lines))
    lines = chain(head, lines)
    if not _are_objects(source.name, head[-1] if head else ""):
        return _of_columns(lines, source.name, config)
    records = json_records(lines, source.name, labelled=True)
    return _of_objects(records, source.name, config, "lines")


def _of_objects(
    records: Iterator[Record], name: str, config: TaggedConfig, noun: str
) -> Iterator[TaggedSentence]:
    """Return the sentences of JSON lines or of the rows of Parquet."""
    if idle := config.idle_for_objects:
        what = "is a JSON object with" if noun == "lines" else "has the lists"
        raise SettingError(
            f"[rows] {min(idle)} has no effect on {name}: each of its {noun} {what} 'tokens' and "
            "'tags'; leave it out."
        )
    has_tags, named = config.tag is not None, config.named_columns
    found = (_tagged_object(each, has_tags=has_tags, named=named) for each in records)
    return (_of_object(each, name, config) for each in chain.from_iterable(found))


def _of_object(found: _TaggedObject, name: str, config: TaggedConfig) -> TaggedSentence:
    tokens = tuple(normalize(token, config.normalization) for token in found.tokens)
    if len(tokens) > config.max_tokens:
        raise _too_long(name, found.line, config)
    lines = (found.line,) * len(tokens)
    tags = _named(found.tags, name, lines, config)
    return TaggedSentence(tokens, tags, name, lines, found.misfits, found.raw)


class _Layout(NamedTuple):
    """How the lines of a file are taken apart; columns are counted from 0."""

    separator: str
    width: int
    token: int
    tag: int | None  # -1: the last one
    is_conllu: bool
    entity: str | None = None  # of CoNLL-U: under what name the last column has the tag

    @classmethod
    def of(cls, row: str, where: str, config: TaggedConfig) -> Self:
        """Return the layout of a file with this row.

        Raises:
            CorpusError: it has too few columns.
        """
        separator = config.separator
        if separator == "auto":
            separator = "\t" if "\t" in row else " "
        columns = _columns(row, separator)
        is_conllu = (
            separator == "\t"
            and len(columns) == _UD_COLUMNS
            and _UD_ID.fullmatch(columns[0]) is not None
        )
        usual: tuple[int, int | Literal["last"]] = (
            (_UD_TOKEN, _UD_TAG) if is_conllu else (1, "last")
        )
        token = config.token if "token" in config.changed else usual[0]
        tag = config.tag if "tag" in config.changed else usual[1]
        _check_columns(columns, token, tag, where)
        place = None if tag is None else -1 if tag == "last" else int(tag) - 1
        entity = None
        if is_conllu and "tag" not in config.changed and columns[_UD_TAG - 1] == "_":
            entity = entity_name(columns[_UD_MISC])
        return cls(separator, len(columns), int(token) - 1, place, is_conllu, entity)

    def row(self, line: int, columns: list[str]) -> _Row:
        """Return token and tag of a line.

        Raises:
            KeyError: the last column does not say the tag, as in the other lines.
        """
        found = [columns[at] for at in (self.token, self.tag) if at is not None]
        misc = columns[_UD_MISC] if self.is_conllu else ""
        if self.entity is not None:
            found[-1] = features_of(misc)[self.entity]
        return _Row(line, found, misc)


def _of_columns(lines: Iterator[str], name: str, config: TaggedConfig) -> Iterator[TaggedSentence]:
    """Yield the sentences of a file with a token a line.

    Raises:
        SettingError: a column has a name.
    """
    if named := config.named_columns:
        setting, column = next(iter(named.items()))
        raise SettingError(
            f"[rows] {setting} = '{column[:40]}': {name} has a token a line, whose columns have no "
            f"names; give the number of the column, from 1 (such as --{setting} 2)."
        )
    rows: list[_Row] = []
    for row in chain(_rows(lines, name, config), (_Row(0, []),)):
        if row.columns:
            rows.append(row)
            if len(rows) > config.max_tokens:
                raise _too_long(name, rows[0].line, config)
        elif rows:
            yield _sentence(rows, name, config)
            rows = []


def _rows(lines: Iterator[str], name: str, config: TaggedConfig) -> Iterator[_Row]:
    """Yield token and tag of each line, none at the end of a sentence."""
    head, layout = _head(lines, name, config)
    if layout is None:
        return
    comment = config.comment or (_USUAL_COMMENT if layout.is_conllu else None)
    for number, line in enumerate(chain(head, lines), start=1):
        if _ends_sentence(line):
            yield _Row(number, [])
            continue
        columns = _columns(line, layout.separator)
        if len(columns) != layout.width:
            if comment is not None and line.startswith(comment):
                continue
            raise _wrong_width(columns, layout.width, f"{name}, line {number}")
        if layout.is_conllu and not columns[0].isdecimal() and _UD_ID.fullmatch(columns[0]):
            continue
        try:
            yield layout.row(number, columns)
        except KeyError:
            raise CorpusError(
                f"{name}, line {number}: the last column has no {layout.entity}=, where the first "
                "token has its tag; add it, or name another column (--tag)."
            ) from None


def _head(
    lines: Iterator[str], name: str, config: TaggedConfig
) -> tuple[list[str], _Layout | None]:
    """Take lines up to the first one that is surely a row, and return the layout that it has.

    Where all lines begin like comments, the first one is a row.
    """
    head: list[str] = []
    begin = config.comment or _USUAL_COMMENT
    for line in lines:
        head.append(line)
        if not _ends_sentence(line) and not line.startswith(begin):
            return head, _Layout.of(line, f"{name}, line {len(head)}", config)
    for number, line in enumerate(head, start=1):
        if not _ends_sentence(line) and config.comment is None:
            return head, _Layout.of(line, f"{name}, line {number}", config)
    return head, None


def _ends_sentence(line: str) -> bool:
    return not line.strip(" \t\r") or line.split(None, 1)[:1] == [_DOCUMENT]


def _columns(line: str, separator: str) -> list[str]:
    """Take a line apart; of blanks any number separates, and a wide blank may be a token."""
    columns = line.split(separator)
    return [column for column in columns if column] if separator == " " else columns


def _wrong_width(columns: list[str], width: int, where: str) -> CorpusError:
    number = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
    remedy = "correct the row, or set rows.separator (--set rows.separator=...)"
    if columns[0].startswith(_USUAL_COMMENT):
        remedy = "if it is a comment, set rows.comment (--set rows.comment=#)"
    return CorpusError(f"{where}: {number} where the other rows have {width}; {remedy}.")


def _check_columns(columns: list[str], token: int | str, tag: int | str | None, where: str) -> None:
    wanted = [number for number in (token, tag) if isinstance(number, int)]
    least = max([*wanted, 2 if tag == "last" else 1])
    if len(columns) < least:
        raise CorpusError(
            f"{where}: there is no column {least}, the row has {len(columns)}: "
            f"'{columns[0][:40]}'; set --token, --tag or rows.separator."
        )


def _tag(given: str) -> str:
    return normalize(given.strip(), "NFC")  # in any setting: both forms are one tag


def _sentence(rows: list[_Row], name: str, config: TaggedConfig) -> TaggedSentence:
    tokens = tuple(normalize(row.columns[0], config.normalization) for row in rows)
    tags = [_tag(row.columns[1]) for row in rows if len(row.columns) > 1]
    lines = tuple(row.line for row in rows)
    for what, values in (("token", tokens), ("tag", tags)):
        if "" in values:
            raise CorpusError(f"{name}, line {lines[values.index('')]}: the {what} is empty.")
    raw = None
    if any(row.misc for row in rows):
        words = [row.columns[0] for row in rows]
        text, placed = placed_text(words, [features_of(row.misc) for row in rows])
        raw = RawText(text, tuple(placed), None)
    return TaggedSentence(tokens, _named(tags, name, lines, config), name, lines, raw=raw)


def _named(
    tags: Iterable[str], name: str, lines: tuple[int, ...], config: TaggedConfig
) -> tuple[str, ...]:
    """Return tags, those that are numbers by their names."""
    names = config.tag_names
    if names is None:
        return tuple(tags)
    found = []
    for line, tag in zip(lines, tags, strict=False):
        if not tag.isdecimal() or int(tag) >= len(names):
            raise CorpusError(
                f"{name}, line {line}: the tag '{tag[:40]}' is no number from 0 to "
                f"{len(names) - 1}, for which rows.tag_names has names; correct either."
            )
        found.append(names[int(tag)])
    return tuple(found)


def _too_long(name: str, line: int, config: TaggedConfig) -> CorpusError:
    return CorpusError(
        f"{name}, line {line}: a sentence of more than {config.max_tokens:,} tokens begins here: "
        "this is no tagged text, or empty lines are missing; put one after each sentence, or set "
        "rows.max_tokens (--set rows.max_tokens=...) if it is one sentence."
    )


class _TaggedObject(NamedTuple):
    """The sentence of one row; without tags where none are wanted."""

    tokens: list[str]
    tags: Sequence[str]
    line: int
    misfits: tuple[Misfit, ...] | None = None
    raw: RawText | None = None


def _are_objects(name: str, first: str) -> bool:
    """Whether a file has an object a line, by its name or by its first line."""
    if PurePosixPath(without_compression_suffix(name)).suffix.lower() in SUFFIXES:
        return True
    return json_object(first) is not None


def _tagged_object(
    record: Record, *, has_tags: bool, named: Mapping[str, str]
) -> Iterator[_TaggedObject]:
    """Yield the sentence of an object, if it has tokens.

    Args:
        record: a line of JSON, or a row of Parquet.
        has_tags: whether the tags are read.
        named: names of the lists, under "token" and "tag", where they are not the usual ones.

    Raises:
        CorpusError: there are no two lists of the same length.
    """
    if _has_spans(record, named):
        column = named.get("token") or _text_column(record)
        yield from _of_spans(record, column, has_tags=has_tags)
        return
    listed = named.get("token") or _usual(record, TOKENS)
    tokens = [_token(each, listed, record) for each in _values(listed, record)]
    own = named.get("tag") or _usual(record, TAGS)
    tags = [str(label_of(each, record)) for each in _values(own, record)] if has_tags else []
    if has_tags and len(tokens) != len(tags):
        raise record.error(
            f"{counted(len(tokens), 'token')} and {counted(len(tags), 'tag')}; give a tag for "
            "each token."
        )
    if tokens:
        yield _TaggedObject(tokens, tags, record.line)


def _has_spans(record: Record, named: Mapping[str, str]) -> bool:
    """Whether the entities of a row are places in its text, and not tags."""
    is_tagged = "tag" in named or any(name in record.values for name in TAGS)
    return not is_tagged and isinstance(record.values.get("spans"), list)


def _text_column(record: Record) -> str:
    """Return the name of the text in which entities have their places: text, or the only one."""
    names = [name for name, value in record.values.items() if isinstance(value, str)]
    if "text" in record.values or len(names) == 1:
        return "text" if "text" in record.values else names[0]
    shown = ", ".join(repr(name[:40]) for name in names[:12]) or "none"
    raise record.error(
        f"the entities have their places in a text, and there is no 'text', but {shown}; name it "
        "(--token NAME)."
    )


def _of_spans(record: Record, column: str, *, has_tags: bool) -> Iterator[_TaggedObject]:
    found = spanned_text(record, column)
    if found.tokens:
        tags = found.tags if has_tags else []
        yield _TaggedObject(found.tokens, tags, record.line, found.misfits, found.raw)


def _usual(record: Record, names: Sequence[str]) -> str:
    """Return the first of the usual names that an object has."""
    return next((name for name in names if name in record.values), names[0])


def _values(name: str, record: Record) -> list[Any]:
    values = record.value(name)
    if not isinstance(values, list):
        raise record.error(f"'{name}' holds {type_name(values)} where an array is expected.")
    return values


def _token(given: Any, name: str, record: Record) -> str:
    if not isinstance(given, str):
        raise record.error(f"a token is {type_name(given)}; write it as text.")
    if not given or "\n" in given:
        raise record.error("a token is empty or holds a line end; correct or remove the row.")
    return record.whole(given, name)
