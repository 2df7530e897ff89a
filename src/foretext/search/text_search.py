"""A search in a few texts that no index has: all of them are read for each query.

The results are those of an index: by the cosine of vectors, by BM25, or by the ranks of both.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.corpus.pre_tokenizers import PreTokenizer, likely_kind
from foretext.messages import message
from foretext.search.bm25 import BM25, idf, term_scores
from foretext.search.passages import Hit, Place, Results
from foretext.search.query import QueryWays
from foretext.search.search_index import CANDIDATES, By
from foretext.search.vector_search import best_of
from foretext.search.word_index import WORD_FORM
from foretext.vectors.neighbors import Nearest, unit_rows

__all__ = ["TextVectors", "bm25_scores", "search_texts"]

SOURCE = "texts"  # what stands in place of a file's name
SAMPLE = 1 << 16  # characters by which their language is found


class TextVectors(NamedTuple):
    """What a model makes of a query and of texts; zeros where it knows no word."""

    query: NDArray[np.float32]  # (D,)
    texts: NDArray[np.float32]  # (N, D)


def search_texts(
    query: str,
    texts: Sequence[str],
    k: int = 10,
    *,
    by: By,
    vectors: TextVectors | None = None,
    bm25: BM25 | None = None,
) -> Results:
    """Return the `k` best of some texts; the place of a hit is the number of its text, from 1.

    Args:
        query: what to search for.
        texts: each is a passage as it stands.
        k: texts to find.
        by: "vectors", "words" or "both", as in `SearchIndex.search`.
        vectors: of the query and the texts, for all but "words".
        bm25: settings; None: k1 = 1.2 and b = 0.75.

    Raises:
        SettingError: `k` is less than 1.
        MissingExtraError: Chinese texts without jieba.
    """
    if k < 1:
        raise SettingError(message("options.search.passages", k=k))
    depth = max(k, CANDIDATES) if by == "both" else k
    cosines = scores = vector = near = None
    if by != "words":
        assert vectors is not None, f"by = '{by}' and no vectors"
        vector, unit = unit_rows(vectors.query[None])[0], unit_rows(vectors.texts)
        if vector.any():
            cosines = unit @ vector  # (N,)
        has_vector = np.asarray(unit.any(axis=1))
        near = _nearest(cosines, has_vector, depth)
    if by != "vectors":
        scores = bm25_scores(query, texts, bm25 or BM25())
    query_ways = QueryWays(query, vector, near, scores, depth)
    hits = tuple(
        Hit(
            score=score,
            text=texts[row],
            place=Place(SOURCE, "row", row + 1, row + 1, 0, len(texts[row])),
            others=(),
            cosine=None if cosines is None else float(cosines[row]),
            bm25=None if scores is None else float(scores[row]),
            row=row,
        )
        for row, score in query_ways.ranked()[:k]
    )
    return Results(query, hits, query_ways.notes())


def bm25_scores(query: str, texts: Sequence[str], settings: BM25) -> NDArray[np.float32]:
    """Return the BM25 score of every text (N,); a word that the query has twice counts twice."""
    sample = "\n".join(text[:SAMPLE] for text in texts[:SAMPLE])[:SAMPLE]
    pre_tokenizer = PreTokenizer(likely_kind(sample))
    counts = [Counter(_words(pre_tokenizer, text)) for text in texts]
    lengths = np.array([count.total() for count in counts], np.float64)
    average = max(lengths.mean(), 1.0) if texts else 1.0
    relative: NDArray[np.float32] = (lengths / average).astype(np.float32)
    scores = np.zeros(len(texts), np.float32)
    for word in _words(pre_tokenizer, query):
        rows = np.array([row for row, count in enumerate(counts) if word in count], np.int64)
        times = np.array([counts[row][word] for row in rows], np.uint32)
        weight = idf(len(rows), len(texts))
        scores[rows] += term_scores(times, relative[rows], weight, settings)
    return scores


def _words(pre_tokenizer: PreTokenizer, text: str) -> list[str]:
    return pre_tokenizer.words(unicodedata.normalize(WORD_FORM, text))


def _nearest(cosines: NDArray[np.float32] | None, has_vector: NDArray[np.bool_], k: int) -> Nearest:
    """Return the `k` texts of the highest cosines (N,), without those that have no vector."""
    if cosines is None:
        return Nearest(np.empty(0, np.int64), np.empty(0, np.float32))
    rows = np.flatnonzero(has_vector)
    best = best_of(cosines[rows], k)
    return Nearest(rows[best.rows], best.scores)
