"""A search index on a page: its passages, their vectors, and the word vectors that read queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.exporting.page.check_texts import LONGEST, MOST_TEXTS
from foretext.exporting.page.page_model import Answers, PageModel
from foretext.exporting.page.storage import Matrices
from foretext.exporting.page.word_vectors import PageWordVectors
from foretext.messages import message
from foretext.progress import human_bytes
from foretext.search.embedder import Embedder
from foretext.search.search_index import SearchIndex
from foretext.search.vector_search import best_of
from foretext.vectors.neighbors import unit_rows
from foretext.vectors.text_embedding import word_weights

__all__ = ["MOST_BYTES", "PageSearch"]

PASSAGES, WEIGHTS = "passages.vectors", "weights"
MOST_BYTES = 128 << 20  # of passages: their texts, and a byte a number of their vectors
NUM_QUERIES, NUM_HITS = 100, 10
QUERY = 80  # characters of a query that is compared
SIF = 1e-3  # as `WordVectors.embed` has it by default


class PageSearch(PageModel):
    """The passages of an index of word vectors, found by the cosines of their vectors.

    Args:
        model: the index.
        name: that the page shows.
        words: that read queries; None: those of the index.
        passages: vectors (N, D); None: those of the index.

    Raises:
        SettingError: a page does not hold such an index, or it is too large.
        ModelFileError: a file of the index is damaged, or its model is missing.
    """

    kind = "search index"
    abilities = ("search",)
    model: SearchIndex

    def __init__(
        self,
        model: SearchIndex,
        name: str,
        words: PageWordVectors | None = None,
        passages: NDArray[np.float32] | None = None,
    ) -> None:
        super().__init__(model, name)
        self._is_stored = passages is not None
        self._words = words or _words_of(model, name)
        self._vectors = model.unit_vectors() if passages is None else passages  # (N, D)

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        return self._words.settings

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        return {**self._words.matrices, PASSAGES: self._vectors}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and a weight of each word (V,)."""
        weights = self._weights
        return self._words.tensors | ({} if weights is None else {WEIGHTS: weights})

    @property
    def texts(self) -> Mapping[str, Sequence[Any]]:
        """The words of the model; the passages, and where each of them stands."""
        return {
            **self._words.texts,
            "passages": self._passages(len(self.model)),
            "places": [_places(self.model, row) for row in range(len(self.model))],
        }

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return message("exporting.remedy.search")

    @property
    def notes(self) -> list[str]:
        """Say what a visitor can read."""
        return [message("exporting.remedy.passages", number=len(self.model))]

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words of the model."""
        return self._words.frequent_words

    def with_matrices(self, matrices: Matrices) -> PageSearch:
        """Return the same with other numbers."""
        return PageSearch(
            self.model, self.name, self._words.with_matrices(matrices), matrices[PASSAGES]
        )

    def texts_of(self, run: Path) -> list[str]:
        """Return the first passages."""
        return [text[:LONGEST] for text in self._passages(MOST_TEXTS)]

    def parts(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self._words.parts(text)

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return cosines of texts with those before, and the passages that queries find."""
        unit = self._embedded(texts)  # (N, D)
        before = np.concatenate([np.zeros((1, unit.shape[1]), np.float32), unit])[:-1]
        cosines = np.einsum("nd,nd->n", unit, before, dtype=np.float64)
        return {
            "cosines": cosines.tolist(),
            "known": unit.any(axis=1).tolist(),
            "neighbors": [],
            "analogies": [],
            "hits": [(query, self._hits(query)) for query in self._queries()],
        }

    def _queries(self) -> list[str]:
        """Return the beginnings of passages that are drawn, the same every time."""
        drawn = np.random.default_rng(0).permutation(len(self.model))[:NUM_QUERIES].tolist()
        return [self.model.passages.text(row)[:QUERY] for row in sorted(drawn)]

    def _hits(self, query: str) -> list[tuple[int, float]]:
        """Return what the index finds; with other numbers, what these would find."""
        if not self._is_stored:
            found = self.model.search(query, NUM_HITS, exact=True)
            return [(hit.row, hit.score) for hit in found]
        (vector,) = self._embedded([query])
        unit = unit_rows(self._vectors)
        rows = np.flatnonzero(unit.any(axis=1)) if vector.any() else np.empty(0, np.int64)
        best = best_of(unit[rows] @ vector, NUM_HITS)
        return list(zip(rows[best.rows].tolist(), best.scores.tolist(), strict=True))

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors (N, D) of unit length, as the index makes them of queries."""
        embedder = self.model.embedder
        words: Any = self._words.model  # its options are those of the index
        return Embedder(words, embedder.options, embedder.weights).embed(texts)

    def _passages(self, number: int) -> list[str]:
        """Return the first passages."""
        return self.model.passages.texts(0, min(number, len(self.model)))

    @property
    def _weights(self) -> NDArray[np.float32] | None:
        """The weight of each word (V,); None: all weigh the same."""
        embedder = self.model.embedder
        if embedder.weights is not None:
            return embedder.weights
        counts = self._words.model.counts
        return word_weights(embedder.options.weighting or "mean", counts, SIF)


def _words_of(index: SearchIndex, name: str) -> PageWordVectors:
    """Return the model of an index.

    Raises:
        SettingError: a page does not hold the index.
    """
    size = index.passages.num_bytes + len(index) * index.facts.model.dim
    if size > MOST_BYTES:
        raise SettingError(
            f"A page holds {human_bytes(MOST_BYTES)} of passages and their vectors at most, and "
            f"{name} has {human_bytes(size)}: index fewer files, or use `foretext serve`."
        )
    if index.facts.model.kept is None:
        raise SettingError(
            f"{name} has no copy of its model, and a page needs the model to read queries; make "
            "the index again without --no-keep-model."
        )
    model: Any = index.embedder.model
    if model.kind != "word vectors" or model.tokenizer is not None:
        raise SettingError(
            f"A web page searches indexes of word vectors, and {name} was made with "
            f"'{index.facts.model.name}'; use `foretext serve`, or make an index with word vectors."
        )
    words = PageWordVectors(model, name)
    if not words.reads_texts:
        raise SettingError(
            f"The model of {name} splits texts by jieba, which does not run in a browser; use "
            "`foretext serve`, or vectors of other words."
        )
    return words


def _places(index: SearchIndex, row: int) -> dict[str, Any]:
    """Return where a passage stands, as JSON of a server has it."""
    first, *others = (place.as_dict() for place in index.passages.places(row))
    return {**first, "others": others}
