"""The search by vectors: through a graph of neighbours where there is one, or through them all."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from foretext.base.config import whole_number
from foretext.base.errors import ModelFileError
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.search.stored_vectors import StoredVectors
from foretext.vectors.neighbor_graph import NeighborGraph, is_usearch_installed
from foretext.vectors.neighbors import Nearest

__all__ = ["VectorSearch"]


class VectorSearch:
    """Finds passages by cosine; all cosines are exact, a graph may only miss a passage."""

    def __init__(self, folder: IndexFolder, facts: IndexFacts) -> None:
        self._folder, self._facts = folder, facts

    @property
    def has_graph(self) -> bool:
        """Whether there is a graph of neighbours."""
        return self._folder.graph.is_file()

    @property
    def is_approximate(self) -> bool:
        """Whether it is searched: usearch is installed, too."""
        return self.has_graph and is_usearch_installed()

    @cached_property
    def vectors(self) -> StoredVectors:
        """Those of all passages."""
        return StoredVectors(self._folder, self._facts)

    def nearest(self, queries: NDArray[np.float32], k: int, *, exact: bool) -> list[Nearest]:
        """Return the `k` passages nearest to each query (Q, D), of unit length or zeros.

        Passages without a vector are left out; queries without one find nothing.

        Raises:
            ModelFileError: the vectors or the graph are damaged.
        """
        if exact or not self.is_approximate:
            found = self.vectors.nearest(queries, k)
        else:
            found = [self._by_graph(query, k) for query in queries]
        return [
            near if query.any() else Nearest(near.rows[:0], near.scores[:0])
            for query, near in zip(queries, found, strict=True)
        ]

    def graph_recall(self, num_queries: int, k: int, seed: int) -> float:
        """Return the share of the `k` exact neighbours of drawn passages that the graph finds."""
        generator = np.random.default_rng(whole_number(seed, "seed", least=0))
        drawn = generator.permutation(len(self.vectors))[:num_queries]
        queries = self.vectors.rows(np.sort(drawn))
        queries = queries[queries.any(axis=1)]
        exact = self.vectors.nearest(queries, k)
        found = [self._by_graph(query, k) for query in queries]
        num_found = sum(np.isin(a.rows, b.rows).sum() for a, b in zip(exact, found, strict=True))
        return float(num_found / max(sum(len(near.rows) for near in exact), 1))

    def _by_graph(self, query: NDArray[np.float32], k: int) -> Nearest:
        rows = self._graph.nearest(query, k)
        rows = rows[(rows >= 0) & (rows < len(self.vectors))]
        rows = rows[self.vectors.scales[rows] != 0]
        scores = self.vectors.cosines(rows, query)
        order = np.lexsort((rows, -scores))
        return Nearest(rows[order], scores[order])

    @cached_property
    def _graph(self) -> NeighborGraph:
        dim = self._facts.model.dim
        graph = NeighborGraph.load(self._folder.graph, dim)
        rows = graph.sampled()
        fits = graph.is_of(len(self.vectors), dim)
        if not (fits and graph.holds(rows, self.vectors.rows(rows))):
            raise ModelFileError(
                f"{self._folder.graph} is the graph of other vectors; remove it, or make the index "
                "again with --overwrite."
            )
        return graph
