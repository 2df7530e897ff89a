"""Texts compared by the words that they share, weighted by rarity: TF-IDF and the cosine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import CorpusError
from foretext.data.rows import SentenceRow
from foretext.tasks.baseline import Baseline
from foretext.tasks.classification.linear_storage import LinearConfig
from foretext.tasks.sentence_vectors.answers import Cosines, Places, sentence_answers

__all__ = ["tfidf_baseline"]


class _SparseVectors:
    """Rows of a sparse matrix (N, F), each of length 1."""

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix

    def cosines(self, firsts: Places, seconds: Places) -> Cosines:
        """Return the cosines of all firsts with all seconds, (N, M)."""
        found: Cosines = (self._matrix[firsts] @ self._matrix[seconds].T).toarray()
        return found

    def paired(self, firsts: Places, seconds: Places) -> Cosines:
        """Return the cosines of each first with its second, (N,)."""
        products = self._matrix[firsts].multiply(self._matrix[seconds]).sum(1)
        found: NDArray[np.float32] = np.asarray(products, np.float32).ravel()
        return found


def tfidf_baseline(rows: Sequence[SentenceRow]) -> Baseline:
    """Count the words of the texts of rows, or their characters where words have no blanks.

    Raises:
        CorpusError: the texts have no words.
    """
    texts = list(dict.fromkeys(text for row in rows for text in row.texts))
    vectorizer = LinearConfig().resolved(texts).vectorizer()
    try:
        vectorizer.fit(texts)
    except ValueError as error:
        raise CorpusError(f"The texts have no feature ({error}); give longer ones.") from None

    def embed(others: Sequence[str]) -> _SparseVectors:
        return _SparseVectors(vectorizer.transform(others))

    return Baseline("TF-IDF and the cosine", lambda others: sentence_answers(others, embed))
