"""Tagged sentences as JSON lines: an object with a list of tokens and a list of tags in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from foretext.corpus.compression import without_compression_suffix
from foretext.data.rows.in_memory import TAGS
from foretext.data.rows.json_lines import json_records
from foretext.data.rows.record import Record, type_name
from foretext.data.rows.texts import label_of

__all__ = ["TaggedObject", "has_objects", "tagged_objects"]

SUFFIXES = (".jsonl", ".ndjson", ".json")


class TaggedObject(NamedTuple):
    """The sentence of one line; without tags where nobody asked for them."""

    tokens: list[str]
    tags: list[str]
    line: int


def has_objects(name: str) -> bool:
    """Whether a file has an object a line, by its name."""
    return PurePosixPath(without_compression_suffix(name)).suffix.lower() in SUFFIXES


def tagged_objects(lines: Iterable[str], name: str, *, has_tags: bool) -> Iterator[TaggedObject]:
    """Yield the sentences of a file; those without tokens are skipped.

    Args:
        lines: of the file.
        name: of the file, for messages.
        has_tags: whether the tags are read.

    Raises:
        CorpusError: a line is no object with two lists of the same length.
    """
    for record in json_records(lines, name):
        tokens = [_token(each, record) for each in _values("tokens", record)]
        tags = [label_of(each, record) for each in _values(_tags(record), record, has_tags)]
        if has_tags and len(tokens) != len(tags):
            raise record.error(
                f"{len(tokens)} tokens and {len(tags)} tags; give a tag for each token."
            )
        if tokens:
            yield TaggedObject(tokens, tags, record.line)


def _tags(record: Record) -> str:
    """Return the name of the list of tags."""
    return next((name for name in TAGS if name in record.values), TAGS[0])


def _values(name: str, record: Record, is_wanted: bool = True) -> list[Any]:
    if not is_wanted:
        return []
    values = record.value(name)
    if not isinstance(values, list):
        raise record.error(f"'{name}' holds {type_name(values)} where an array is expected.")
    return values


def _token(given: Any, record: Record) -> str:
    if not isinstance(given, str):
        raise record.error(f"a token is {type_name(given)}; write it as text.")
    if not given or "\n" in given:
        raise record.error("a token is empty or holds a line end; correct or remove the row.")
    return record.whole(given, "tokens")
