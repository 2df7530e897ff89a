"""The documents of a corpus with their places, and how they are cut into shards.

Shards depend on the text alone: not on how many processes clean them, nor on where an earlier
process stopped. A document longer than a million characters is cut, as everywhere in foretext.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from foretext.corpus import Corpus
from foretext.corpus.documents import LONGEST_DOCUMENT
from foretext.corpus.paragraphs import Paragraph, has_rows, paragraphs

__all__ = ["Document", "Shard", "documents", "documents_of", "shards", "unit_of"]

MOST_DOCUMENTS = 1 << 15  # of a shard


class Document(NamedTuple):
    """A document as it stands in its file."""

    text: str  # its paragraphs, one a line
    source: int  # number of the file in the corpus
    line: int  # or row, from 1


class Shard(NamedTuple):
    """Documents that follow each other, and the stored bytes that were read for them."""

    number: int
    documents: list[Document]
    num_bytes: int


def documents(corpus: Corpus) -> Iterator[tuple[Document, int]]:
    """Yield each document, with the stored bytes that were read by then, all files together.

    Raises:
        CorpusError: a file cannot be read, is damaged or of another kind.
    """
    before = 0
    for number, source in enumerate(corpus.sources):
        read = 0
        for document, read in documents_of(corpus, number):
            yield document, before + read
        before += read if source.size is None else source.size


def shards(corpus: Corpus, num_characters: int) -> Iterator[Shard]:
    """Yield the documents in shards of about so many characters.

    Raises:
        CorpusError: a file cannot be read, is damaged or of another kind.
    """
    batch: list[Document] = []
    number = length = reported = read = 0
    for document, read in documents(corpus):
        batch.append(document)
        length += len(document.text)
        if length >= num_characters or len(batch) == MOST_DOCUMENTS:
            yield Shard(number, batch, read - reported)
            batch, number, length, reported = [], number + 1, 0, read
    if batch:
        yield Shard(number, batch, read - reported)


def unit_of(corpus: Corpus, source: int) -> Literal["line", "row"]:
    """Return what the places in a file count."""
    return "row" if has_rows(corpus.sources[source], corpus.config) else "line"


def documents_of(corpus: Corpus, number: int) -> Iterator[tuple[Document, int]]:
    """Yield each document of a file, with the stored bytes of it that were read by then.

    Args:
        corpus: of the file.
        number: of the file in it.

    Raises:
        CorpusError: it cannot be read, is damaged or of another kind.
    """
    source = corpus.sources[number]
    lines: list[str] = []
    first, length, read = 0, 0, 0
    for paragraph, read_now in paragraphs(source, corpus.reading(source)):
        for text in _pieces(paragraph):
            if lines and (paragraph.begins or length + len(text) > LONGEST_DOCUMENT):
                yield Document("\n".join(lines), number, first), read
                lines, length = [], 0
            first = first if lines else paragraph.line
            lines.append(text)
            length += len(text) + 1
            read = read_now
    if lines:
        yield Document("\n".join(lines), number, first), read


def _pieces(paragraph: Paragraph) -> list[str]:
    """Cut a paragraph of a row, which can be longer than a document may be."""
    text = paragraph.text
    if len(text) <= LONGEST_DOCUMENT:
        return [text]
    places = range(0, len(text), LONGEST_DOCUMENT)
    return [text[place : place + LONGEST_DOCUMENT] for place in places]
