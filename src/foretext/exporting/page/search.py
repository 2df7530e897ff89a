"""A search index on a page: its passages, their vectors, and the word vectors that read queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.exporting.page.check_texts import LONGEST, MOST_TEXTS
from foretext.exporting.page.page_model import Answers, PageModel, text_cosines
from foretext.exporting.page.passages import Hits, PagePassages
from foretext.exporting.page.storage import Matrices
from foretext.exporting.page.word_vectors import PageWordVectors
from foretext.messages import message
from foretext.search.embedder import Embedder
from foretext.search.search_index import SearchIndex
from foretext.vectors.text_embedding import word_weights

__all__ = ["PageSearch"]

WEIGHTS = "weights"
NUM_QUERIES = 100
SIF = 1e-3  # as `WordVectors.embed` has it by default


class PageSearch(PageModel):
    """The passages of an index of word vectors, found by the cosines of their vectors.

    Args:
        model: the index.
        name: that the page shows.
        words: that read queries; None: those of the index.
        passages: of the index, with other numbers; None: as they are.

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
        passages: PagePassages | None = None,
    ) -> None:
        super().__init__(model, name)
        self._is_stored = passages is not None
        self._passages = passages or PagePassages(model, name)
        self._words = words or _words_of(model, name)

    @property
    def settings(self) -> dict[str, Any]:
        """What the page's own class has to know."""
        return self._words.settings

    @property
    def matrices(self) -> Matrices:
        """Matrices that may be stored in fewer bytes."""
        return {**self._words.matrices, **self._passages.matrices}

    @property
    def tensors(self) -> dict[str, NDArray[Any]]:
        """Tables of characters, and a weight of each word (V,)."""
        weights = self._weights
        return self._words.tensors | ({} if weights is None else {WEIGHTS: weights})

    @property
    def texts(self) -> Mapping[str, Sequence[Any]]:
        """The words of the model; the passages, and where each of them stands."""
        return {**self._words.texts, **self._passages.lists}

    @property
    def remedy(self) -> str:
        """What makes the page smaller."""
        return message("exporting.remedy.search")

    @property
    def notes(self) -> list[str]:
        """Say what a visitor can read."""
        return [self._passages.note]

    @property
    def frequent_words(self) -> Sequence[str]:
        """The words of the model."""
        return self._words.frequent_words

    def with_matrices(self, matrices: Matrices) -> PageSearch:
        """Return the same with other numbers."""
        words = self._words.with_matrices(matrices)
        return PageSearch(self.model, self.name, words, self._passages.with_matrices(matrices))

    def texts_of(self, run: Path) -> list[str]:
        """Return the first passages."""
        return [text[:LONGEST] for text in self._passages.first(MOST_TEXTS)]

    def parts(self, text: str) -> list[str]:
        """Return the words of a text."""
        return self._words.parts(text)

    def answers(self, texts: Sequence[str]) -> Answers:
        """Return cosines of texts with those before, and the passages that queries find."""
        return {
            **text_cosines(self._embedded(texts)),
            "neighbors": [],
            "analogies": [],
            "hits": self._hits(self._passages.queries(NUM_QUERIES)),
        }

    def _hits(self, queries: Sequence[str]) -> list[tuple[str, Hits]]:
        """Return what the index finds; with other numbers, what these would find."""
        if self._is_stored:
            found = self._passages.nearest(self._embedded(queries))
        else:
            found = self._passages.found(queries)
        return list(zip(queries, found, strict=True))

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors (N, D) of unit length, as the index makes them of queries."""
        embedder = self.model.embedder
        words: Any = self._words.model  # its options are those of the index
        return Embedder(words, embedder.options, embedder.weights).embed(texts)

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
    model: Any = index.embedder.model
    if model.kind != "word vectors" or model.tokenizer is not None:
        raise SettingError(
            f"A web page searches indexes of word vectors and of networks that embed texts, and "
            f"{name} was made with '{index.facts.model.name}'; use `foretext serve`, or make an "
            "index with word vectors or a sentence encoder."
        )
    words = PageWordVectors(model, name)
    if not words.reads_texts:
        raise SettingError(
            f"The model of {name} splits texts by jieba, which does not run in a browser; use "
            "`foretext serve`, or vectors of other words."
        )
    return words
