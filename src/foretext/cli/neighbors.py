"""``foretext neighbors RUN WORD...``; of document vectors, names of documents or texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foretext.base.errors import UnknownWordError
from foretext.base.terminal import say
from foretext.cli.shared import (
    AsJson,
    RunArgument,
    given_options,
    print_json,
    print_table,
    refuse_options,
    titles,
)
from foretext.messages import message

if TYPE_CHECKING:
    from foretext.vectors.document_vectors import DocumentVectors
    from foretext.vectors.neighbor_graph import NeighborIndex
    from foretext.vectors.word_vectors import WordVectors

__all__ = ["neighbors"]

LONGEST_QUERY = 30  # letters of a text that stand above the table


def neighbors(
    run: RunArgument,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORD",
            help="Words to look around; of document vectors, names of documents or texts.",
        ),
    ],
    topn: Annotated[
        int, typer.Option("--top", "-n", metavar="N", min=1, help="Neighbours a word.")
    ] = 10,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Search by the index in FILE, nearly exact and made for millions of words; "
            "where there is none it is built, measured and kept.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the words or documents nearest to others.

    Of document vectors give names of documents, or texts. A word without a vector is named once the
    others are answered, and the exit code is 2.
    """
    from foretext.artifact import load, load_vectors, opened_run

    if opened_run(run).documents.is_file():
        refuse_options(run, "document vectors", given_options(index=index))
        _show_documents(load(run), words, topn, as_json=as_json)
        return
    vectors = load_vectors(run)
    searched = vectors if index is None else _open_index(index, vectors)
    known = [word for word in words if vectors.has_index_for(word)]
    found = searched.neighbors(known, topn)
    if as_json:
        near_words = {word: dict(near) for word, near in zip(known, found, strict=True)}
        print_json({word: near_words.get(word) for word in words})
    else:
        for word, near in zip(known, found, strict=True):
            print_table([vectors.spelled(word), message("tables.cosine")], near)
    _refuse_unknown(vectors, [word for word in words if not vectors.has_index_for(word)])


def _refuse_unknown(vectors: WordVectors, words: list[str]) -> None:
    """Say which words have no vector, once the others are answered.

    Raises:
        UnknownWordError: the last of them.
    """
    for place, word in enumerate(words, start=1):
        try:
            vectors.get_vector(word)
        except UnknownWordError as error:
            if place == len(words):
                raise
            say(str(error), error=True)


def _show_documents(
    documents: DocumentVectors, queries: list[str], topn: int, *, as_json: bool
) -> None:
    """Print names, cosines and beginnings of the documents nearest to each query."""
    found = documents.neighbors(queries, topn)
    if as_json:
        print_json({query: dict(near) for query, near in zip(queries, found, strict=True)})
        return
    for query, near in zip(queries, found, strict=True):
        rows = [(name, cosine, documents.beginning(name)) for name, cosine in near]
        print_table([query[:LONGEST_QUERY], *titles("tables.cosine", "tables.begins")], rows)


def _open_index(path: Path, vectors: WordVectors) -> NeighborIndex:
    """Open the index in `path`; where there is none build and keep it, and say what it misses."""
    from foretext.vectors.neighbor_graph import NeighborIndex

    if path.exists():
        return NeighborIndex.load(path, vectors)
    index = NeighborIndex.build(vectors, quiet=False)
    index.save(path)
    recall = index.recall()
    say(message("terminal.neighbors.recall", path=path, rate=recall), error=True)
    return index
