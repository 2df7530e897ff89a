"""Texts that Python holds, or names of files: which of the two something is.

A list of strings can be texts or names of files. It is files if each of its elements exists, or is
a URL or a glob; it is texts if none of them is and none looks like a path; anything between the two
is refused, so that nothing is ever learned from names of files. `texts` says that they are texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, Union

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError
from foretext.base.parsing import parse_json
from foretext.corpus.columns import missing_column
from foretext.corpus.file_names import MOST_FEW, are_few_words, looks_like_path, names_file
from foretext.corpus.foreign_tables import column_names, column_values, plain_value
from foretext.corpus.in_memory import COLUMN, InMemory, spooled
from foretext.corpus.source import Source

__all__ = [
    "SourceNames",
    "TextSource",
    "are_tokens",
    "found_sources",
    "iterate_texts",
    "memory_identity",
    "texts",
]

SourceNames: TypeAlias = str | Path | Source | Sequence[str | Path]  # what `Corpus` opens
TextSource: TypeAlias = Union[SourceNames, Iterable[Any], Any]  # noqa: UP007  tables have no type

MOST_WORDS = 8  # that the name of a file has

_CLEAR = "write foretext.texts([...]) to say that they are texts"


@checked_arguments
def texts(given: Any, column: str = COLUMN) -> InMemory:
    """Return texts in memory as a source; every string is a text, also one that names a file.

    Args:
        given: strings, lists of words, or rows that have them under `column`; a data frame, a
            series, a data set, an array or any iterable, which is read once.
        column: of tables and rows.

    Raises:
        CorpusError: there are none, or an element is no text.
        OutputError: the temporary file cannot be written.
    """
    if isinstance(given, InMemory):
        return given
    return _spooled_texts(_checked(_elements(given, column), column))


def found_sources(given: TextSource, column: str = COLUMN) -> SourceNames:
    """Return `given` as `Corpus` opens it: names of files as they are, texts as `InMemory`.

    Raises:
        CorpusError: names of files and texts are mixed, or a string looks like the name of a file
            that is not there.
    """
    if isinstance(given, Source | Path):
        return given
    if isinstance(given, str):
        return _checked_name(given)
    elements = _elements(given, column)
    first = next(elements, None)
    if first is None:
        raise CorpusError("No corpus was given; give a file, a folder, a glob, a URL, or texts.")
    if not names_file(first):
        return _spooled_texts(_without_names(chain((first,), elements), column))
    names = [first, *elements]
    for name in names:
        if not names_file(name):
            raise CorpusError(
                f"{_shown(name)}: there is no such file or folder, but {_shown(first)} is one; "
                f"correct the name, or {_CLEAR}."
            )
    return names


def iterate_texts(given: Any, column: str = COLUMN) -> Iterator[str]:
    """Yield texts of any kind that `texts` takes, where only texts are possible.

    Raises:
        CorpusError: there is a single string, or an element is no text.
    """
    if isinstance(given, InMemory):
        with given.open() as file:
            yield from (parse_json(line, given.name, CorpusError)[COLUMN] for line in file)
        return
    for text in _checked(_elements(given, column), column):
        yield text if isinstance(text, str) else " ".join(text)


def are_tokens(sources: object) -> bool:
    """Whether sources are texts in memory that were given as lists of words."""
    return isinstance(sources, InMemory) and sources.are_tokens


def memory_identity(sources: object) -> dict[str, str]:
    """Return name and digest of what was in memory, by which it is known again; none of files."""
    if not isinstance(sources, InMemory):
        return {}
    return {"name": sources.name, "identity": sources.identity}


def _spooled_texts(found: Iterator[str | list[str]]) -> InMemory:
    """Write texts as rows of JSON; all of them are strings, or all are lists of words."""
    first = next(found, None)
    if first is None:
        raise CorpusError("No texts were given; give at least one.")
    are_tokens = isinstance(first, list)
    rows = (_row(text, are_tokens, number) for number, text in enumerate(chain((first,), found), 1))
    return replace(spooled(rows, "texts"), are_tokens=are_tokens)


def _row(text: str | list[str], are_tokens: bool, number: int) -> str:
    if isinstance(text, list) != are_tokens:
        raise CorpusError(
            f"text {number} in memory is a {type(text).__name__}, and text 1 is not; give all "
            "texts as strings, or all as lists of words."
        )
    return json.dumps({COLUMN: text if isinstance(text, str) else " ".join(text)})


def _elements(given: Any, column: str) -> Iterator[Any]:
    """Yield what is in a table, in rows or in any other iterable, None as an empty text."""
    if isinstance(given, str | bytes):
        raise CorpusError(f"{_shown(given)} is a single text; put it into a list.")
    if column_names(given) is not None:
        values: Iterator[Any] = column_values(given, column)
    else:
        try:
            values = map(plain_value, given)
        except TypeError:
            raise CorpusError(
                f"{type(given).__name__} is nothing to read texts from; give files, or strings in "
                "a list, a column or a table."
            ) from None
    for number, value in enumerate(values, start=1):
        if isinstance(value, Mapping):
            if column not in value:
                raise missing_column(f"row {number} in memory", column, map(str, value))
            value = plain_value(value[column])
        yield "" if value is None else value


def _checked(elements: Iterable[Any], column: str) -> Iterator[str | list[str]]:
    """Yield the elements, each of which has to be a text or a list of words."""
    for number, value in enumerate(elements, start=1):
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
            yield [word for word in value if _is_word(word, number)]
        else:
            raise CorpusError(
                f"text {number} in memory is {_shown(value)} of type {type(value).__name__}; give "
                f"strings, lists of words, or rows with a column '{column}'."
            )


def _is_word(word: str, number: int) -> bool:
    """Whether a word of a list is one; what is only white space, as tokenisers give it, is none."""
    if word.isspace() or not word:
        return False
    if len(word.split()) > 1:
        raise CorpusError(
            f"text {number} in memory has the word {_shown(word)}, with white space in it; write "
            "'_' in its place, or give texts as strings."
        )
    return True


def _without_names(elements: Iterable[Any], column: str) -> Iterator[str | list[str]]:
    """Yield texts; refuse strings that name files or were probably meant to."""
    few: list[str] = []
    for text in _checked(elements, column):
        if isinstance(text, str):
            few = [*few, text] if len(few) <= MOST_FEW else few
            if names_file(text):
                raise CorpusError(
                    f"{_shown(text)} is a file or folder, and {_shown(few[0])} is none; correct "
                    f"the name, or {_CLEAR}."
                )
            if looks_like_path(text):
                raise CorpusError(
                    f"{_shown(text)}: there is no such file or folder; correct the name, or "
                    f"{_CLEAR}."
                )
        yield text
    if are_few_words(few):
        raise CorpusError(
            f"{_shown(few[0])}: there is no such file or folder, and nothing can be learned from a "
            f"few single words; correct the name, or {_CLEAR}."
        )


def _checked_name(name: str) -> str:
    """Refuse a text where the name of a file is expected."""
    if "\n" in name or (len(name.split()) > MOST_WORDS and not names_file(name)):
        raise CorpusError(
            f"{_shown(name)}: there is no such file; to learn from a text itself, put it into a "
            "list."
        )
    return name


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
