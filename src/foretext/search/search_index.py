"""An index in use: passages found by their vectors, by their words, or by both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from foretext.artifact import kind_named
from foretext.base.arguments import checked_arguments
from foretext.base.errors import ModelFileError, SettingError
from foretext.base.model_files import fingerprint
from foretext.base.representation import represented
from foretext.kinds import Kind
from foretext.messages import message
from foretext.search.bm25 import BM25
from foretext.search.embedder import Embedder, read_weights
from foretext.search.folder import IndexFacts, IndexFolder
from foretext.search.passages import Hit, Passages, Results
from foretext.search.query import QueryWays
from foretext.search.vector_search import VectorSearch
from foretext.search.word_index import WordIndex
from foretext.shown import Shown
from foretext.vectors.empty_texts import num_empty
from foretext.vectors.insight import shortened_title

__all__ = ["By", "SearchIndex"]

By = Literal["vectors", "words", "both"]
WAYS = ("vectors", "words", "both")
NUM_SHOWN = 10  # passages
CANDIDATES = 100  # of each way, at least, that are put together

OpenModel = Callable[[Path], Any]


@represented
class SearchIndex:
    """Passages that can be searched; open one with `foretext.load`, or make one with `index`.

    Args:
        path: of the folder.
        open_model: opens the model that embeds queries; it is called when one is needed.

    Raises:
        ModelFileError: the folder holds no finished index, or a damaged one.
    """

    kind = "search index"
    abilities: ClassVar[tuple[str, ...]] = ("search",)
    text_framing: ClassVar[None] = None  # of a query; its model reads it whole, or in windows
    tokenizer: ClassVar[None] = None  # its model has one, or none

    @checked_arguments
    def __init__(self, path: str | Path, open_model: OpenModel) -> None:
        self._folder = IndexFolder(Path(path))
        self.facts = self._folder.facts()
        self.passages = Passages(self._folder, self.facts)
        self._model = _QueryModel(self._folder, self.facts, open_model)
        self._vectors = VectorSearch(self._folder, self.facts)

    def __len__(self) -> int:
        return len(self.passages)

    @property
    def size(self) -> dict[str, int]:
        """How much is in it, for a summary."""
        return {"passages": len(self), "files": len(self.passages.sources)}

    @property
    def num_empty(self) -> int:
        """How many passages have no vector but zeros, since the model knows none of their words."""
        return num_empty(self._vectors.vectors.vectors)

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

    def served_facts(self) -> dict[str, Any]:
        """Return what a server says of the index, as JSON has it."""
        return {"fields": ["query"], **self.size, "model": self.facts.model.name}

    @checked_arguments
    def use_model(self, path: str | Path) -> Self:
        """Take a model from its own folder, for an index that was made without a copy of it.

        Raises:
            ModelFileError: the index was made with another model.
        """
        self._model.use(Path(path))
        return self

    @property
    def embedder(self) -> Embedder:
        """What turns queries into vectors of unit length.

        Raises:
            ModelFileError: there is no model, or another one than that of the passages.
        """
        return self._model.embedder

    @property
    def model_kind(self) -> Kind:
        """The row of `foretext.kinds` of the model that embeds queries.

        Raises:
            ModelFileError: there is no model, or another one than that of the passages.
        """
        model: Any = self.embedder.model
        return kind_named(model.kind, self._folder.config)

    def unit_vectors(self) -> NDArray[np.float32]:
        """Return the vectors of all passages (N, D), of unit length; zeros of those without one."""
        return self._vectors.vectors.rows(slice(None))

    @property
    def is_approximate(self) -> bool:
        """Whether vectors are searched by a graph: one is there, and usearch is installed."""
        return self._vectors.is_approximate

    @property
    def has_graph(self) -> bool:
        """Whether the index has a graph of neighbours."""
        return self._vectors.has_graph

    @cached_property
    def words(self) -> WordIndex:
        """The inverted index."""
        return WordIndex(self._folder, self.facts)

    @overload
    def search(  # type: ignore[overload-overlap]  # a str is a sequence of them, too
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

    @checked_arguments
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
            by: "vectors", by the cosine of the model's vectors; "words", by BM25; "both", by the
                sum of reciprocal ranks in the two.
            exact: look at every vector, though there is a graph of neighbours.
            bm25: settings; None: k1 = 1.2 and b = 0.75.

        Raises:
            SettingError: no such way, or `k` is less than 1.
            ModelFileError: a part of the index is damaged, or its model is missing or another one.
        """
        texts = [queries] if isinstance(queries, str) else list(queries)
        found = [self._results(query, k) for query in self._found(texts, k, by, exact, bm25)]
        return found[0] if isinstance(queries, str) else found

    @checked_arguments
    def show(self, queries: Sequence[str]) -> list[Shown]:
        """Return what each way of searching finds for each query, and how both are joined."""
        from foretext.search.showing import query_parts

        found = [self.search(text, k=NUM_SHOWN, by="both") for text in queries]
        return [
            Shown(shortened_title(each.query), tuple(query_parts(self, each))) for each in found
        ]

    @checked_arguments
    def rows(self, queries: Sequence[str], k: int = 10, *, by: By = "vectors") -> list[list[int]]:
        """Return the numbers of what `search` finds for each query, without texts and places.

        Args:
            queries: texts.
            k: passages of each, at most.
            by: "vectors", "words" or "both".
        """
        return [
            [row for row, _ in query.ranked()[:k]]
            for query in self._found(queries, k, by, False, None)
        ]

    @checked_arguments
    def graph_recall(self, num_queries: int = 200, k: int = 10, *, seed: int = 0) -> float:
        """Return the share of the `k` exact neighbours of passages that the graph finds.

        Passages are drawn at random; each is its own nearest neighbour in both searches.

        Args:
            num_queries: passages that are drawn.
            k: neighbours of each.
            seed: of the draw.
        """
        return self._vectors.graph_recall(num_queries, k, seed)

    def _found(
        self, texts: Sequence[str], k: int, by: By, exact: bool, settings: BM25 | None
    ) -> Iterator[QueryWays]:
        """Yield what each way that is asked finds for each query."""
        if k < 1:
            raise SettingError(message("options.search.k", k=k))
        if by not in WAYS:
            raise SettingError(f"by = '{by}': there are 'vectors', 'words' and 'both'.")
        depth = max(k, CANDIDATES) if by == "both" else k
        vectors = self._model.embed(texts) if by != "words" and texts else None  # (Q, D)
        nearest = [] if vectors is None else self._vectors.nearest(vectors, depth, exact=exact)
        for place, text in enumerate(texts):
            vector = None if vectors is None else vectors[place]
            near = nearest[place] if nearest else None
            bm25 = None
            if by != "vectors":
                bm25 = self.words.scores(self.words.words(text), settings or BM25())
            yield QueryWays(text, vector, near, bm25, depth)

    def _results(self, query: QueryWays, k: int) -> Results:
        hits = tuple(self._hit(row, score, query) for row, score in query.ranked()[:k])
        return Results(query.text, hits, query.notes())

    def _hit(self, row: int, score: float, query: QueryWays) -> Hit:
        cosine = score if query.bm25 is None else None
        if query.bm25 is not None and query.vector is not None and query.vector.any():
            vectors = self._vectors.vectors
            cosine = float(vectors.cosines(np.array([row]), query.vector)[0])
        first, *others = self.passages.places(row)
        return Hit(
            score=score,
            text=self.passages.text(row),
            place=first,
            others=tuple(others),
            cosine=cosine,
            bm25=None if query.bm25 is None else float(query.bm25[row]),
            row=row,
        )


class _QueryModel:
    """What turns queries into vectors, as the passages were turned into theirs.

    Args:
        folder: of the index.
        facts: of it.
        open_model: opens a model by its path.
    """

    def __init__(self, folder: IndexFolder, facts: IndexFacts, open_model: OpenModel) -> None:
        self._folder, self._facts, self._open_model = folder, facts.model, open_model
        self._path, self._fingerprint = folder.kept_model, facts.model.kept

    def use(self, path: Path) -> None:
        """Take the model from its own folder.

        Raises:
            ModelFileError: it is another one.
        """
        found = fingerprint(path)
        if found not in (self._facts.given, self._facts.kept):
            raise ModelFileError(
                f"{path} is not the model that {self._folder.path} was made with "
                f"('{self._facts.name}'): its vectors would not fit; give that model, or make the "
                "index again."
            )
        self._path, self._fingerprint = path, found

    def embed(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors (Q, D) of unit length; zeros of a query without a known word.

        Raises:
            ModelFileError: there is no model, or another one than that of the passages.
        """
        return self.embedder.embed(queries)

    @cached_property
    def embedder(self) -> Embedder:
        """The model with the options of the index."""
        model = self._open_model(self._checked_path())
        if model.vector_size != self._facts.dim:
            raise ModelFileError(
                f"{self._path} gives vectors of {model.vector_size} numbers, and the index has "
                f"{self._facts.dim}; make the index again with --overwrite."
            )
        options = self._facts.options
        weights = read_weights(self._folder.weights, model) if options.weighting == "idf" else None
        return Embedder(model, options, weights)

    def _checked_path(self) -> Path:
        if self._fingerprint is None:
            raise ModelFileError(
                message("files.index.no_model", path=self._folder.path, name=self._facts.name)
            )
        if fingerprint(self._path) != self._fingerprint:
            raise ModelFileError(
                f"{self._path} is not the model that the index was made with; make the index again "
                "with --overwrite."
            )
        return self._path
