"""What vectors say of many texts together: nearest ones, pairs that mean the same, groups.

The names and the results are those of sentence-transformers' `util`; the search is ours, exact,
tile by tile, in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.arguments import checked_arguments, given_array
from foretext.base.config import whole_number
from foretext.base.errors import SettingError
from foretext.corpus.texts import iterate_texts
from foretext.vectors.neighbors import comparable_rows, inverse_norms, search, unit_rows

__all__ = [
    "community_detection",
    "paraphrase_mining",
    "paraphrase_mining_embeddings",
    "semantic_search",
]

ROWS_AT_ONCE = 1024  # of which cosines with all others are in memory


@checked_arguments
def semantic_search(
    query_embeddings: ArrayLike, corpus_embeddings: ArrayLike, *, top_k: int = 10
) -> list[list[dict[str, Any]]]:
    """Return the nearest vectors of each query, ``{"corpus_id": row, "score": cosine}``, sorted.

    Args:
        query_embeddings: (Q, D), or one vector (D,).
        corpus_embeddings: (N, D).
        top_k: vectors for each query.

    Raises:
        SettingError: the vectors are not finite, or of different sizes.
    """
    queries, vectors = _matrix(query_embeddings, "query_embeddings"), _matrix(corpus_embeddings)
    if queries.shape[1] != vectors.shape[1]:
        raise SettingError(
            f"queries of {queries.shape[1]} numbers and vectors of {vectors.shape[1]} cannot be "
            "compared; give vectors of one model."
        )
    rows = comparable_rows(vectors)
    top_k = whole_number(top_k, "top_k", least=1)
    found = search(rows, inverse_norms(rows), unit_rows(queries), top_k)
    return [
        [
            {"corpus_id": row, "score": score}
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        ]
        for rows, scores in zip(found.rows, found.scores, strict=True)
    ]


@checked_arguments
def paraphrase_mining(
    model: Any, sentences: Any, *, top_k: int = 100, max_pairs: int = 500_000
) -> list[tuple[float, int, int]]:
    """Return the pairs of texts that are most alike by a model's vectors: (cosine, i, j), i < j.

    Args:
        model: with `embed`, such as a sentence encoder.
        sentences: texts.
        top_k: others that are looked at for each text.
        max_pairs: pairs at most, the best ones.

    Raises:
        CorpusError: an element is no text.
    """
    vectors = model.embed(list(iterate_texts(sentences)))
    return paraphrase_mining_embeddings(vectors, top_k=top_k, max_pairs=max_pairs)


@checked_arguments
def paraphrase_mining_embeddings(
    embeddings: ArrayLike, *, top_k: int = 100, max_pairs: int = 500_000
) -> list[tuple[float, int, int]]:
    """Return the pairs of vectors that are most alike, as `paraphrase_mining` does of texts.

    Args:
        embeddings: (N, D).
        top_k: others that are looked at for each vector.
        max_pairs: pairs at most, the best ones.

    Raises:
        SettingError: the vectors are not finite.
    """
    rows = comparable_rows(_matrix(embeddings))
    top_k = whole_number(top_k, "top_k", least=1)
    max_pairs = whole_number(max_pairs, "max_pairs", least=1)
    inverse, best = inverse_norms(rows), np.empty((0, 3))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        found = search(rows, inverse, unit_rows(rows[start : start + ROWS_AT_ONCE]), top_k + 1)
        best = _best_pairs(np.concatenate([best, _pairs_of(found, start, top_k)]), max_pairs)
    return [(score, int(first), int(second)) for score, first, second in best.tolist()]


@checked_arguments
def community_detection(
    embeddings: ArrayLike, threshold: float = 0.75, min_community_size: int = 10
) -> list[list[int]]:
    """Return groups of vectors around a central one, the largest first; no vector is in two.

    A group has the vectors whose cosine with its first one is `threshold` or more, and which no
    larger group has.

    Args:
        embeddings: (N, D).
        threshold: the least cosine.
        min_community_size: vectors of a group, at least.

    Raises:
        SettingError: the vectors are not finite.
    """
    least = whole_number(min_community_size, "min_community_size", least=1)
    unit = unit_rows(_matrix(embeddings))
    sizes = np.concatenate(
        [
            (unit[start : start + ROWS_AT_ONCE] @ unit.T >= threshold).sum(axis=1)
            for start in range(0, len(unit), ROWS_AT_ONCE)
        ]
    )
    is_used, kept = np.zeros(len(unit), bool), []
    for centre in np.argsort(-sizes, kind="stable")[: int((sizes >= least).sum())].tolist():
        if is_used[centre]:
            continue
        cosines = unit @ unit[centre]
        free = np.flatnonzero((cosines >= threshold) & ~is_used)
        if len(free) < least:
            continue
        free = free[np.argsort(-cosines[free], kind="stable")]
        kept.append([centre, *free[free != centre].tolist()])
        is_used[kept[-1]] = True
    return sorted(kept, key=len, reverse=True)


def _pairs_of(found: Any, start: int, top_k: int) -> NDArray[np.float64]:
    """Return (cosine, lower row, higher row) of what a search found, (P, 3), without itself."""
    own = start + np.arange(len(found.rows))[:, None]
    is_other = found.rows != own
    is_other &= np.cumsum(is_other, axis=1) <= top_k
    firsts = np.broadcast_to(own, found.rows.shape)[is_other]
    seconds = found.rows[is_other]
    lower, higher = np.minimum(firsts, seconds), np.maximum(firsts, seconds)
    return np.stack([found.scores[is_other].astype(np.float64), lower, higher], axis=1)


def _best_pairs(pairs: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return the best of (cosine, lower row, higher row), each pair once."""
    order = np.lexsort((pairs[:, 2], pairs[:, 1], -pairs[:, 0]))
    _, first = np.unique(pairs[order][:, 1:], axis=0, return_index=True)
    best: NDArray[np.float64] = pairs[order[np.sort(first)]][:number]
    return best


def _matrix(given: ArrayLike, name: str = "embeddings") -> NDArray[np.float32]:
    """Return finite vectors (N, D)."""
    matrix = np.atleast_2d(given_array(given, name, np.float32))
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise SettingError(
            f"{name} of shape {matrix.shape}: give vectors (N, D) of finite numbers, as embed "
            "returns them."
        )
    return matrix
