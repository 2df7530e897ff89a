"""Texts that Python holds, or names of files: which of the two something is.

A list of strings can be texts or names of files. It is files if each of its elements exists, or is
a URL or a glob; it is texts if none of them is and none looks like a path; anything between the two
is refused, so that nothing is ever learned from names of files. `texts` says that they are texts.
"""

from __future__ import annotations

import glob
import hashlib
import json
import math
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeAlias, Union

import numpy as np

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError, GivenError
from foretext.base.files import output_error, temporary_folder
from foretext.base.parsing import parse_json
from foretext.corpus.blocks import Advance
from foretext.corpus.column_lookup import missing_column
from foretext.corpus.compression import without_compression_suffix
from foretext.corpus.foreign_tables import column_names, column_values, plain_value
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.sources import STANDARD_INPUT, SUFFIXES, Source, at_home
from foretext.messages import message

__all__ = [
    "InMemory",
    "SourceNames",
    "TextSource",
    "are_tokens",
    "counted_texts",
    "found_sources",
    "held_texts",
    "is_file_or_source",
    "is_text",
    "iterate_texts",
    "lines_or_files",
    "memory_identity",
    "present_texts",
    "spooled",
    "text_or_files",
    "texts",
]

SourceNames: TypeAlias = str | Path | Source | Sequence[str | Path]  # what `Corpus` opens
TextSource: TypeAlias = Union[SourceNames, Iterable[Any], Any]  # noqa: UP007  tables have no type

MOST_WORDS = 8  # that the name of a file has

_CLEAR = "write foretext.texts([...]) to say that they are texts"

_LONGEST = 4096  # characters of a path
MOST_FEW = 16
_ROOTS = ("/", "./", "../", "~/", "~\\", ".\\", "..\\")
_OTHER_SUFFIXES = (".json", ".conll", ".parquet", ".arrow", ".xml", ".md")
_WORD = re.compile(r"[!-~]+")  # ASCII without blanks

COLUMN = "text"  # of a text in the temporary file
READING = {
    "format": "jsonl",
    "column": COLUMN,
    "encoding": "utf-8",
    "lines": "auto",
    "documents": "auto",
}


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
        raise CorpusError(message("errors.corpus.none_of_texts"))
    if not _names_file(first):
        return _spooled_texts(_without_names(chain((first,), elements), column))
    names = [first, *elements]
    for name in names:
        if not _names_file(name):
            raise CorpusError(
                f"{_shown(name)}: there is no such file or folder, but {_shown(first)} is one; "
                f"correct the name, or {_CLEAR}."
            )
    return names


def present_texts(given: Any) -> Any:
    """Return texts for an estimator, which takes no missing ones; files and tables as they are.

    A list, a column or an array is looked through at once. Anything else may yield its texts a
    single time, or from files, and is looked at while it is read.

    Raises:
        GivenError: a text is None or NaN; the message has the number of its row.
    """
    if _are_named(given):
        return given
    if not isinstance(given, Iterable):
        given = np.asarray(given) if hasattr(given, "__array__") else given  # foreign
    if _are_held(given):
        for _ in _present(given):
            pass
        return given
    return _present(given) if isinstance(given, Iterable) else given


def held_texts(given: Any) -> Any:
    """Return texts that can be read again: in a list, unless they can be already."""
    is_read_once = isinstance(given, Iterable) and not (_are_named(given) or _are_held(given))
    return list(given) if is_read_once else given


def _are_named(given: Any) -> bool:
    """Whether something names files, or is a table, or a single text."""
    return (
        isinstance(given, str | bytes | Path | Source | Mapping) or column_names(given) is not None
    )


def _are_held(given: Any) -> bool:
    """Whether elements are all in memory, as a list, an array or a column has them."""
    return isinstance(given, list | tuple) or hasattr(given, "__array__")  # foreign


def _present(given: Iterable[Any]) -> Iterator[Any]:
    """Yield elements, none of which may be missing."""
    for number, value in enumerate(given, start=1):
        if not isinstance(value, str | list) and _is_missing(plain_value(value)):
            raise GivenError(
                f"text {number} is {value}, not a text; correct it, or leave the row out."
            )
        yield value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def text_or_files(given: str) -> SourceNames:
    """Return what names files as it is, and any other string as a text itself.

    Empty lines of a text end documents.

    Raises:
        CorpusError: the string is empty, or looks like the name of a file that is not there.
    """
    if _names_file(given):
        return given
    documents = [part for part in re.split(r"\n\s*\n", given) if part.strip()]
    if not documents:
        raise CorpusError(message("errors.empty_text"))
    if _looks_like_path(given) or _are_few_words([given]):
        raise CorpusError(message("errors.no_file_nor_words", name=_shown(given)))
    return texts(documents)


def lines_or_files(given: str) -> SourceNames | list[str]:
    """Return what names files as it is, and the lines of any other string; one may be a word.

    Raises:
        CorpusError: the string is empty, or looks like the name of a file that is not there.
    """
    if _names_file(given):
        return given
    lines = [line for line in given.splitlines() if line.strip()]
    if not lines:
        raise CorpusError(message("errors.empty_text"))
    if _looks_like_path(given):
        raise CorpusError(message("errors.no_file_nor_text", name=_shown(given)))
    return lines


def counted_texts(texts: Iterable[str], progress: Advance | None) -> Iterator[str]:
    """Yield texts, and let a bar advance by one for each that was taken."""
    for text in texts:
        yield text
        if progress is not None:
            progress.advance(1)


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
        raise CorpusError(message("files.text.none"))
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
                where = message("errors.location.row_in_memory", number=number)
                raise missing_column(where, column, map(str, value))
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
            if _names_file(text):
                raise CorpusError(
                    f"{_shown(text)} is a file or folder, and {_shown(few[0])} is none; correct "
                    f"the name, or {_CLEAR}."
                )
            if _looks_like_path(text):
                raise CorpusError(message("errors.corpus.no_file", name=_shown(text)))
        yield text
    if _are_few_words(few):
        raise CorpusError(message("errors.corpus.few_words", name=_shown(few[0])))


def _checked_name(name: str) -> str:
    """Refuse a text where the name of a file is expected."""
    if "\n" in name or (len(name.split()) > MOST_WORDS and not _names_file(name)):
        raise CorpusError(message("errors.corpus.text_for_name", name=_shown(name)))
    return name


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def is_text(given: object) -> bool:
    """Whether something is a string that names no file, and was hardly meant to."""
    is_some = isinstance(given, str) and bool(given.strip())
    return is_some and not _names_file(given) and not _looks_like_path(str(given))


def _names_file(given: Any) -> bool:
    """Whether something is a path, a URL, ``-``, or a string that a file or a glob answers to."""
    if isinstance(given, Path):
        return True
    if not isinstance(given, str) or not 0 < len(given) <= _LONGEST or "\n" in given:
        return False
    if given == STANDARD_INPUT:
        return True
    if "://" in given:
        return re.fullmatch(r"[\w+.-]+://\S+", given) is not None
    try:
        if at_home(Path(given)).exists():
            return True
    except (OSError, ValueError):  # too long, NUL
        return False
    return _has_blank_free_magic(given) and any(glob.iglob(given, recursive=True))  # noqa: PTH207


def _looks_like_path(text: str) -> bool:
    """Whether a string that names no file was probably meant to: a root or a suffix, no blanks."""
    if not text or len(text) > _LONGEST or any(map(str.isspace, text)):
        return False
    suffix = PurePosixPath(without_compression_suffix(text)).suffix.lower()
    return suffix in SUFFIXES or suffix in _OTHER_SUFFIXES or text.startswith(_ROOTS)


def _are_few_words(texts: Sequence[str]) -> bool:
    """Whether texts are a few single words, which are sooner folders than something to learn."""
    return 0 < len(texts) <= MOST_FEW and all(_WORD.fullmatch(text) for text in texts)


def _has_blank_free_magic(text: str) -> bool:
    return glob.has_magic(text) and not any(map(str.isspace, text))


@dataclass(frozen=True)
class InMemory(Source):
    """What Python held, in a temporary file that goes with this object."""

    count: int = 0  # texts or rows
    are_tokens: bool = False  # whether every text was given as a list of its words

    def reading(self, config: CorpusConfig) -> CorpusConfig:
        """Return the settings for the temporary file; those of the user's files have no effect."""
        return config.model_copy(update=READING)


def is_file_or_source(given: object) -> bool:
    """Whether something names files or is a source already, and so is nothing in memory."""
    return isinstance(given, str | Path | Source)


def spooled(lines: Iterable[str], what: str, count: int | None = None) -> InMemory:
    """Write lines to a temporary file and return it as a source.

    Args:
        lines: without their ends.
        what: they are, in the plural.
        count: how many they are; None: as many as there are lines.

    Raises:
        OutputError: the file cannot be written.
    """
    held, digest, size, number = ExitStack(), hashlib.sha256(), 0, 0
    path = held.enter_context(temporary_folder()) / "memory"
    try:
        with _opened(path) as file:
            for line in lines:
                data = line.encode("utf-8", "surrogatepass") + b"\n"
                _write(file, data, path)
                digest.update(data)
                size, number = size + len(data), number + 1
            _write(file, b"", path, flush=True)
    except BaseException:  # of the disk, or of what yields the lines
        held.close()
        raise
    number = number if count is None else count
    opener = _Opener(path)
    weakref.finalize(opener, held.close)
    return InMemory(
        f"{number:,} {what} in memory", f"memory {digest.hexdigest()}", size, opener, number
    )


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("wb")
    except OSError as error:
        raise output_error(path, error) from error


def _write(file: BinaryIO, data: bytes, path: Path, *, flush: bool = False) -> None:
    try:
        file.write(data)
        if flush:
            file.flush()
    except OSError as error:
        raise output_error(path, error) from error


class _Opener:
    """Opens the temporary file, which is removed with this object."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self) -> BinaryIO:
        return self.path.open("rb", buffering=0)
