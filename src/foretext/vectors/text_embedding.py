"""One vector a text: the plain mean of its words' vectors, or their smooth inverse frequency mean.

SIF is Arora, Liang and Ma 2017, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings": a
word weighs a / (a + p(w)), and the direction that all texts share may be taken out.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from foretext.base.config import whole_number
from foretext.base.errors import SettingError
from foretext.vectors.neighbors import comparable_rows

__all__ = [
    "PUNCTUATION",
    "embed_texts",
    "idf_weights",
    "known_form",
    "known_rows",
    "known_words",
    "remove_first_component",
    "shortened",
    "word_weights",
]

# That words lose at their ends.
PUNCTUATION = string.punctuation + "“”‘’«»„‚…–—¡¿。，、！？；：（）《》「」"


def embed_texts(
    texts: Iterable[str],
    rows_of: Callable[[str], list[int]],
    vectors: NDArray[np.float32],
    weights: NDArray[np.float32] | None,
) -> NDArray[np.float32]:
    """Return the weighted mean (N, D) of `vectors` (V, D) over the rows that each text has.

    `weights` is (V,), or None where every word weighs the same. As in the paper the weighted sum is
    divided by the number of words, not by the sum of weights. A text without rows gives zeros.
    """
    found = list(map(rows_of, texts))
    with np.errstate(over="ignore", invalid="ignore"):
        parts = [_mean(rows, vectors, weights) for rows in found]
        means = np.array(parts, dtype=np.float32).reshape(-1, vectors.shape[1])
    for row in np.flatnonzero(~np.isfinite(means).all(axis=1)):  # a sum that is too large
        means[row] = _mean_of_large(found[row], vectors, weights)
    return means


def _mean(
    rows: list[int], vectors: NDArray[np.float32], weights: NDArray[np.float32] | None
) -> NDArray[np.float32]:  # (D,)
    """Return the weighted mean of some rows."""
    parts = vectors[rows]
    weighted = parts if weights is None else parts * weights[rows, None]
    mean: NDArray[np.float32] = weighted.sum(axis=0) / max(len(rows), 1)
    return mean


def _mean_of_large(
    rows: list[int], vectors: NDArray[np.float32], weights: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    """Return the same, which is finite although the sum of the rows may not be."""
    whole = vectors[rows].astype(np.float64) * (1.0 if weights is None else weights[rows, None])
    limit = np.finfo(np.float32).max
    mean: NDArray[np.float32] = np.clip(whole.mean(axis=0), -limit, limit).astype(np.float32)
    return mean


def word_weights(
    weighting: str | NDArray[np.float32], counts: NDArray[np.int64] | None, a: float
) -> NDArray[np.float32] | None:
    """Return a / (a + p(w)) for each word (V,), p its share of all counts; None for "mean".

    Weights that are given come back.

    Raises:
        SettingError: there is no such weighting, or it needs counts.
    """
    if isinstance(weighting, np.ndarray):
        return weighting
    if weighting == "mean":
        return None
    if weighting != "sif":
        raise SettingError(f"weighting = '{weighting}': there are 'mean' and 'sif'.")
    if counts is None or counts.sum() == 0:
        raise SettingError(
            "weighting = 'sif' needs counts of the words, which these vectors came without; choose "
            "'mean', or build WordVectors with counts."
        )
    weights: NDArray[np.float64] = a / (a + counts / counts.sum())
    return weights.astype(np.float32)


def idf_weights(num_with: NDArray[np.int64], num_texts: int) -> NDArray[np.float32]:
    """Return how much rarity says of each word (V,): its idf, divided by that of an unseen word.

    Args:
        num_with: of how many texts each word is a part, (V,).
        num_texts: all of them.
    """
    idf = np.log1p((num_texts - num_with + 0.5) / (num_with + 0.5))
    weights: NDArray[np.float64] = idf / np.log1p((num_texts + 0.5) / 0.5)
    return weights.astype(np.float32)


def remove_first_component(embeddings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Subtract from each row (N, D) its part along the first right singular vector of them all.

    Raises:
        SettingError: fewer than two rows, which have nothing in common to take out.
    """
    if len(embeddings) < 2:
        raise SettingError("remove_component needs at least two texts to find what is common.")
    direction = np.linalg.svd(embeddings, full_matrices=False)[2][0]  # (D,)
    return embeddings - np.outer(embeddings @ direction, direction)


def known_rows(text: str, known: Mapping[str, int]) -> list[int]:
    """Split `text` at white space and return the rows of the words that are known.

    A word is tried as written, then in small letters, then without the punctuation at its ends;
    each of these in both of Unicode's forms.
    """
    return [known[word] for word in known_words(text, known) if word in known]


def known_form(word: str, known: Container[str]) -> str:
    """Return `word` in the Unicode normal form in which it is known; else as it is."""
    if word.isascii() or word in known:
        return word
    forms = (unicodedata.normalize(form, word) for form in ("NFC", "NFD"))
    return next((form for form in forms if form in known), word)


def known_words(text: str, known: Container[str]) -> list[str]:
    """Split `text` as `known_rows` does; a word that is unknown in every form loses punctuation."""
    return [word if word in known else _known_spelling(word, known) for word in text.split()]


def _known_spelling(word: str, known: Container[str]) -> str:
    bare = word.strip(PUNCTUATION)
    for spelling in (word, word.lower(), bare, bare.lower()):
        form = known_form(spelling, known)
        if form in known:
            return form
    return bare


def shortened(
    vectors: NDArray[np.float32], dim: int | None, *, normalize: bool
) -> NDArray[np.float32]:
    """Return the first `dim` numbers of vectors (N, D), (N, dim), in place; zeros stay zeros.

    A model that has learned Matryoshka dimensions keeps most of what it knows in them.

    Args:
        vectors: of texts.
        dim: numbers to keep; None: all.
        normalize: whether the result gets length 1.

    Raises:
        SettingError: the vectors have fewer numbers.
    """
    width = vectors.shape[1]
    if dim is not None and not 1 <= whole_number(dim, "dim") <= width:
        raise SettingError(f"dim = {dim}: the vectors have {width} numbers; use 1 to {width}.")
    kept = np.ascontiguousarray(vectors[:, :dim])
    if normalize:
        kept = comparable_rows(kept)
        lengths = np.linalg.norm(kept, axis=1, keepdims=True)
        kept /= np.where(lengths, lengths, 1.0)
    return kept
