"""The format of a file, and how it becomes the normal form of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from foretext.corpus.compression import READ_SIZE, unpacked
from foretext.corpus.decoding import decoded, normalize, whole_lines, with_line_feeds
from foretext.corpus.documents import (
    by_blank_line,
    by_blank_lines,
    by_file,
    by_line,
    join_rows,
)
from foretext.corpus.file_formats import AUTO, FORMATS
from foretext.corpus.layout import unwrapped
from foretext.corpus.sentences import split_sentences
from foretext.corpus.settings import CorpusConfig
from foretext.corpus.sources import suffix_format

__all__ = ["format_of", "normal_form", "plain_text", "row_texts"]

_BY_DOCUMENTS: dict[str, Callable[[Iterable[str]], Iterator[str]]] = {
    "line": by_line,
    "blank_line": by_blank_line,
    "blank_lines": by_blank_lines,
    "file": by_file,
}


def format_of(name: str, config: CorpusConfig) -> str:
    """Return the format of the settings, or of the suffix, or plain text."""
    if config.format != AUTO:
        return config.format
    return suffix_format(name) or "txt"


def plain_text(file: BinaryIO, name: str, config: CorpusConfig) -> Iterator[str]:
    """Yield the text of `file`, unpacked and decoded, in chunks of any length."""
    chunks = unpacked(file, name, config.max_piece_bytes)
    return with_line_feeds(decoded(chunks, config.encoding, name))


def row_texts(file: BinaryIO, name: str, config: CorpusConfig) -> Iterator[str]:
    """Yield the text of each row of `file`, which is not plain text.

    Raises:
        CorpusError: the file is damaged or of another kind.
    """
    format = FORMATS[format_of(name, config)]
    if format.is_binary:
        return format.reader(file, config.column, name)
    chunks = plain_text(file, name, config)
    return format.reader(chunks, config.column, name, config.max_piece_bytes)


def normal_form(
    file: BinaryIO,
    name: str,
    config: CorpusConfig,
    seen: Callable[[str], None] | None = None,
) -> Iterator[str]:
    """Yield the text of `file`, one sentence per line and an empty line after each document.

    In `config` nothing is left open that only the text decides. `seen` gets each chunk of plain
    text, or each row, before it is processed.

    Raises:
        CorpusError: the file is damaged or of another kind.
    """
    texts = (normalize(text, config.normalization) for text in _lines(file, name, config, seen))
    if FORMATS[format_of(name, config)].rows is None:
        paragraphs = unwrapped(texts) if config.lines == "wrapped" else texts
        found = _BY_DOCUMENTS[config.documents](paragraphs)
    else:
        found = by_blank_line(texts)
    return map(split_sentences, found) if config.sentences == "punctuation" else found


def _lines(
    file: BinaryIO, name: str, config: CorpusConfig, seen: Callable[[str], None] | None
) -> Iterator[str]:
    """Yield texts of whole lines; from rows, with empty lines between them."""
    if FORMATS[format_of(name, config)].rows is None:
        return whole_lines(_told(plain_text(file, name, config), seen))
    return whole_lines(join_rows(_told(row_texts(file, name, config), seen), READ_SIZE))


def _told(texts: Iterable[str], seen: Callable[[str], None] | None) -> Iterable[str]:
    if seen is None:
        return texts
    return (seen(text) or text for text in texts)
