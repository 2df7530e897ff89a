"""An index in use: passages found by their vectors, by their words, or by both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from foretext.errors import ModelFileError, SettingError
from foretext.representation import Represented
from foretext.search.bm25 import BM25
from foretext.search.embedder import Embedder, read_weights
from foretext.search.folder import IndexFolder
from foretext.search.fusion import fused
from foretext.search.model_files import fingerprint
from foretext.search.passages import Passages
from foretext.search.results import Hit, Results
from foretext.search.stored_vectors import StoredVectors, best_of
from foretext.search.word_index import WordIndex
from foretext.vectors.neighbor_graph import NeighborGraph, is_usearch_installed
from foretext.vectors.neighbors import Nearest

__all__ = ["By", "OpenModel", "SearchIndex"]

By = Literal["vectors", "words", "both"]
OpenModel = Callable[[Path], Any]
WAYS = ("vectors", "words", "both")
CANDIDATES = 100  # of each way, at least, that are put together

UNKNOWN_TO_MODEL = "the model knows no word of this query"
UNKNOWN_TO_WORDS = "no word of this query is in the passages"


class _Query(NamedTuple):
    text: str
    vector: NDArray[np.float32] | None  # (D,), of unit length or zeros
    words: list[str]


class SearchIndex(Represented):
    """Passages that can be searched; open one with `foretext.load`, or make one with `index`.

    Args:
        path: of the folder.
        open_model: opens the model that embeds queries; it is called when one is needed.

    Raises:
        ModelFileError: the folder holds no finished index, or a damaged one.
    """

    kind = "search index"

    def __init__(self, path: str | Path, open_model: OpenModel) -> None:
        self._folder = IndexFolder(Path(path))
        self.facts = self._folder.facts()
        self.passages = Passages(self._folder, self.facts)
        self._open_model = open_model
        self._model_path = self._folder.kept_model
        self._model_fingerprint = self.facts.model.kept

    def __len__(self) -> int:
        return len(self.passages)

    @property
    def size(self) -> dict[str, int]:
        """How much is in it, for a summary."""
        return {"passages": len(self), "files": len(self.passages.sources)}

    def summary(self) -> dict[str, Any]:
        """Return what Python and a notebook show of the index."""
        return {
            **self.size,
            "places": self.facts.places,
            "model": self.facts.model.name,
            "dimensions": self.facts.model.dim,
            "numbers": self.facts.dtype,
            "approximate": "yes" if self.is_approximate else "no",
        }

    def use_model(self, path: str | Path) -> Self:
        """Take a model from its own folder, for an index that was made without a copy of it.

        Raises:
            ModelFileError: the index was made with another model.
        """
        found = fingerprint(Path(path))
        if found not in (self.facts.model.given, self.facts.model.kept):
            raise ModelFileError(
                f"{path} is not the model that {self._folder.path} was made with "
                f"('{self.facts.model.name}'): its vectors would not fit; give that model, or make "
                "the index again."
            )
        self._model_path, self._model_fingerprint = Path(path), found
        return self

    @property
    def is_approximate(self) -> bool:
        """Whether vectors are searched by a graph: one is there, and usearch is installed."""
        return self.has_graph and is_usearch_installed()

    @property
    def has_graph(self) -> bool:
        """Whether the index has a graph of neighbours."""
        return self._folder.graph.is_file()

    @overload
    def search(
        self,
        queries: str,
        k: int = 10,
        *,
        by: By = "vectors",
        exact: bool = False,
        bm25: BM25 | None = None,
    ) -> Results: ...

    @overload
    def search(
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        by: By = "vectors",
        exact: bool = False,
        bm25: BM25 | None = None,
    ) -> list[Results]: ...

    def search(
        self,
        queries: str | Sequence[str],
        k: int = 10,
        *,
        by: By = "vectors",
        exact: bool = False,
        bm25: BM25 | None = None,
    ) -> Results | list[Results]:
        """Return the `k` best passages of a query, or of each of several.

        Args:
            queries: one text, or several in a list.
            k: passages of each.
            by: "vectors", by the cosine of model's vectors; "words", by BM25; "both", by the sum of
                reciprocal ranks in the two.
            exact: look at every vector, though there is a graph of neighbours.
            bm25: settings; None: k1 = 1.2 and b = 0.75.

        Raises:
            SettingError: no such way, or `k` is less than 1.
            ModelFileError: a part of the index is damaged, or its model is missing or another one.
        """
        if k < 1:
            raise SettingError(f"k = {k}: ask for at least one passage.")
        if by not in WAYS:
            raise SettingError(f"by = '{by}': there are 'vectors', 'words' and 'both'.")
        texts = [queries] if isinstance(queries, str) else list(queries)
        settings = bm25 or BM25()
        given = self._queries(texts, by)
        depth = max(k, CANDIDATES) if by == "both" else k
        nearest = self._nearest(given, depth, exact=exact) if by != "words" else []
        found = [
            self._results(query, nearest[place] if nearest else None, depth, k, settings)
            for place, query in enumerate(given)
        ]
        return found[0] if isinstance(queries, str) else found

    def graph_recall(self, num_queries: int = 200, k: int = 10, *, seed: int = 0) -> float:
        """Return the share of the `k` exact neighbours of passages that the graph finds.

        Passages are drawn at random; each is its own nearest neighbour in both searches.
        """
        rows = np.sort(np.random.default_rng(seed).permutation(len(self))[:num_queries])
        vectors = self._vectors.rows(rows)
        vectors = vectors[vectors.any(axis=1)]
        exact = self._vectors.nearest(vectors, k)
        found = [self._by_graph(vector, k) for vector in vectors]
        num_found = sum(np.isin(a.rows, b.rows).sum() for a, b in zip(exact, found, strict=True))
        return float(num_found / max(sum(len(near.rows) for near in exact), 1))

    @cached_property
    def words(self) -> WordIndex:
        """The inverted index."""
        return WordIndex(self._folder, self.facts)

    @cached_property
    def _vectors(self) -> StoredVectors:
        return StoredVectors(self._folder, self.facts)

    @cached_property
    def _graph(self) -> NeighborGraph:
        graph = NeighborGraph.load(self._folder.graph, self.facts.model.dim)
        rows = graph.sampled()
        fits = graph.is_of(len(self), self.facts.model.dim)
        if not (fits and graph.holds(rows, self._vectors.rows(rows))):
            raise ModelFileError(
                f"{self._folder.graph} is the graph of other vectors; remove it, or make the index "
                "again with --overwrite."
            )
        return graph

    @cached_property
    def _embedder(self) -> Embedder:
        model = self._open_model(self._checked_model())
        options = self.facts.model.options
        weights = read_weights(self._folder.weights, model) if options.weighting == "idf" else None
        if model.vector_size != self.facts.model.dim:
            raise ModelFileError(
                f"{self._model_path} gives vectors of {model.vector_size} numbers, and the index "
                f"has {self.facts.model.dim}; make the index again with --overwrite."
            )
        return Embedder(model, options, weights)

    def _checked_model(self) -> Path:
        if self._model_fingerprint is None:
            raise ModelFileError(
                f"{self._folder.path} was made without a copy of its model; give the model "
                f"'{self.facts.model.name}' with --model (in Python: use_model), or search by "
                "words."
            )
        if fingerprint(self._model_path) != self._model_fingerprint:
            raise ModelFileError(
                f"{self._model_path} is not the model that the index was made with; make the index "
                "again with --overwrite."
            )
        return self._model_path

    def _queries(self, texts: Sequence[str], by: By) -> list[_Query]:
        vectors = self._embedder.embed(texts) if by != "words" and texts else None
        return [
            _Query(
                text,
                None if vectors is None else vectors[place],
                [] if by == "vectors" else self.words.words(text),
            )
            for place, text in enumerate(texts)
        ]

    def _nearest(self, queries: Sequence[_Query], k: int, *, exact: bool) -> list[Nearest]:
        vectors = [query.vector for query in queries if query.vector is not None]
        if exact or not self.is_approximate:
            return self._vectors.nearest(np.array(vectors), k) if vectors else []
        return [self._by_graph(vector, k) for vector in vectors]

    def _by_graph(self, vector: NDArray[np.float32], k: int) -> Nearest:
        rows = self._graph.nearest(vector, k)
        rows = rows[(rows >= 0) & (rows < len(self))]
        scores = self._vectors.cosines(rows, vector)
        order = np.lexsort((rows, -scores))
        order = order[self._vectors.scales[rows[order]] != 0]
        return Nearest(rows[order], scores[order])

    def _results(
        self, query: _Query, near: Nearest | None, depth: int, k: int, settings: BM25
    ) -> Results:
        """Put together what vectors and words found for a query."""
        notes, rankings, bm25 = [], [], None
        scored: list[tuple[int, float]] = []
        if near is not None and query.vector is not None:
            if not query.vector.any():
                notes.append(UNKNOWN_TO_MODEL)
                near = Nearest(near.rows[:0], near.scores[:0])
            scored = list(zip(near.rows.tolist(), near.scores.tolist(), strict=True))
            rankings.append([row for row, _ in scored])
        if near is None or query.words:
            bm25 = self.words.scores(query.words, settings)  # (N,)
            found = best_of(bm25, depth)
            found = Nearest(found.rows[found.scores > 0], found.scores[found.scores > 0])
            if not len(found.rows):
                notes.append(UNKNOWN_TO_WORDS)
            scored = list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
            rankings.append([row for row, _ in scored])
        if len(rankings) > 1:
            scored = fused(rankings)
        hits = (self._hit(row, score, query.vector, bm25) for row, score in scored[:k])
        return Results(query.text, tuple(hits), tuple(notes))

    def _hit(
        self,
        row: int,
        score: float,
        vector: NDArray[np.float32] | None,
        bm25: NDArray[np.float32] | None,
    ) -> Hit:
        cosine = None
        if vector is not None and vector.any():
            cosine = float(self._vectors.cosines(np.array([row]), vector)[0])
        first, *others = self.passages.places(row)
        return Hit(
            score=float(score),
            text=self.passages.text(row),
            place=first,
            others=tuple(others),
            cosine=cosine,
            bm25=None if bm25 is None else float(bm25[row]),
            row=row,
        )
