"""The name of each document of a corpus: a column of its rows, or its number."""

from __future__ import annotations

from collections.abc import Iterator

from foretext.base.errors import CorpusError
from foretext.corpus.compression import READ_SIZE
from foretext.corpus.corpus import Corpus
from foretext.corpus.decoding import whole_lines
from foretext.corpus.documents import LONGEST_DOCUMENT, by_blank_line, join_rows
from foretext.corpus.formats import format_of, row_texts
from foretext.corpus.sources import Source

__all__ = ["document_names"]


def document_names(corpus: Corpus, column: str | None) -> Iterator[str]:
    """Yield a name for each document of a corpus, in its order; its number counts from 0.

    Rows without text are no documents, as everywhere, and neither have a name.

    Args:
        corpus: of which all is read.
        column: with the names, of csv, tsv, jsonl and parquet; None: numbers.

    Raises:
        CorpusError: a file has no such column, a name is empty or comes twice, or a row is so long
            that the corpus cuts it.
    """
    if column is None:
        number = 0
        while True:
            yield str(number)
            number += 1
    seen: set[str] = set()
    for source in corpus.sources:
        for name in _names_in(source, corpus, column):
            if name in seen:
                raise CorpusError(
                    f"{source.name}: '{name}' stands twice in the column '{column}'; a name "
                    "belongs to one document. Name another column, or leave out names."
                )
            seen.add(name)
            yield name


def _names_in(source: Source, corpus: Corpus, column: str) -> Iterator[str]:
    """Yield the names of one file's rows with text."""
    config = source.reading(corpus.config)
    if format_of(source.name, config) == "txt":
        raise CorpusError(
            f"{source.name}: plain text has no column '{column}' with names; give csv, tsv, jsonl "
            "or parquet, or leave out names."
        )
    named = config.model_copy(update={"column": column})
    with source.open() as texts, source.open() as names:
        rows = zip(
            row_texts(texts, source.name, config),
            row_texts(names, source.name, named),
            strict=True,
        )
        for number, (text, name) in enumerate(rows, start=1):
            if not text.strip():
                continue
            line = " ".join(name.split())
            if not line:
                raise CorpusError(f"{source.name}, row {number}: the column '{column}' is empty.")
            if len(text) > LONGEST_DOCUMENT // 2 and _num_pieces(text) > 1:
                raise CorpusError(
                    f"{source.name}, row {number}: '{line}' has {len(text):,} characters and would "
                    f"be cut; give texts of up to {LONGEST_DOCUMENT:,}."
                )
            yield line


def _num_pieces(text: str) -> int:
    return sum(
        part.count("\n\n") for part in by_blank_line(whole_lines(join_rows([text], READ_SIZE)))
    )
