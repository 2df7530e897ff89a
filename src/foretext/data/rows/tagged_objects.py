"""Tagged sentences as JSON lines or Parquet: a list of tokens and a list of tags in each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from foretext.base.counted import counted
from foretext.base.parsing.json_text import json_object
from foretext.corpus.compression import without_compression_suffix
from foretext.data.rows.in_memory import TAGS
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.texts import label_of

__all__ = ["TOKENS", "TaggedObject", "are_objects", "tagged_object"]

TOKENS = ("tokens", "words")  # usual names of lists of tokens
SUFFIXES = (".jsonl", ".ndjson", ".json")


class TaggedObject(NamedTuple):
    """The sentence of one row; without tags where none are wanted."""

    tokens: list[str]
    tags: Sequence[str]
    line: int


def are_objects(name: str, first: str) -> bool:
    """Whether a file has an object a line, by its name or by its first line."""
    if PurePosixPath(without_compression_suffix(name)).suffix.lower() in SUFFIXES:
        return True
    return json_object(first) is not None


def tagged_object(
    record: Record, *, has_tags: bool, named: Mapping[str, str]
) -> Iterator[TaggedObject]:
    """Yield the sentence of an object, if it has tokens.

    Args:
        record: a line of JSON, or a row of Parquet.
        has_tags: whether the tags are read.
        named: names of the lists, under "token" and "tag", where they are not the usual ones.

    Raises:
        CorpusError: there are no two lists of the same length.
    """
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
        yield TaggedObject(tokens, tags, record.line)


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
