"""The graph of neighbours of an index: whether there is one, and how it is built."""

from __future__ import annotations

from collections.abc import Callable

from foretext.base.errors import MissingExtraError
from foretext.progress import Progress
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.search.stored_vectors import StoredVectors
from foretext.vectors.neighbor_graph import NeighborGraph, is_usearch_installed

__all__ = ["build_graph", "refuse_missing_usearch", "wants_graph"]

FROM_PASSAGES = 100_000  # the exact search takes longer than a person notices
BLOCK = 4096  # rows

Check = Callable[[], None]


def refuse_missing_usearch(approximate: bool | None) -> None:
    """Refuse a graph that is wanted and cannot be built, before any text is read.

    Raises:
        MissingExtraError: usearch is not installed.
    """
    if approximate and not is_usearch_installed():
        raise MissingExtraError("usearch", "index", "an approximate search")


def wants_graph(approximate: bool | None, num_passages: int) -> bool:
    """Whether an index of so many passages gets a graph."""
    if approximate is None:
        return num_passages >= FROM_PASSAGES and is_usearch_installed()
    return approximate


def build_graph(
    folder: IndexFolder,
    facts: IndexFacts,
    before: IndexFolder | None,
    *,
    check: Check,
    quiet: bool | None,
) -> None:
    """Build the graph of all passages, or add the new ones to that of an index that grows.

    Args:
        folder: of the new index, with its vectors.
        facts: of it.
        before: the index that grows, if it has a graph.
        check: is called between blocks, and may raise.
        quiet: show no progress; None: show it on a terminal and in a notebook.

    Raises:
        OutputError: it cannot be written.
        VectorFileError: the graph of the index that grows is damaged.
    """
    vectors, dim = StoredVectors(folder, facts), facts.model.dim
    graph = NeighborGraph(dim) if before is None else NeighborGraph.load(before.graph, dim)
    done = len(graph)
    with Progress("indexing", len(vectors), "passages", initial=done, quiet=quiet) as bar:
        for start in range(done, len(vectors), BLOCK):
            check()
            rows = vectors.rows(slice(start, start + BLOCK))
            graph.add(rows)
            bar.advance(len(rows))
    graph.save(folder.graph)
