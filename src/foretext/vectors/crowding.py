"""Whether vectors have left their start: words that have nothing to do with each other differ.

The first updates move all words in one direction (Mimno and Thompson 2017), and only later ones
part them. Where there were too few, all words are near all words, and neighbours mean nothing.
"""

from __future__ import annotations

import numpy as np

from foretext.vectors.word_vectors import WordVectors

__all__ = ["crowding_sentence", "mean_cosine"]

PAIRS = 10_000  # of words, drawn
USUAL = 0.6  # below, words are apart: 0.05 to 0.55 wherever neighbours made sense
FEWEST = 500  # words; of fewer, many pairs are related


def mean_cosine(vectors: WordVectors, seed: int = 0) -> float:
    """Return the mean cosine of pairs of words that are drawn; vectors of zeros count as 0."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, len(vectors), (2, PAIRS))
    differ = first != second
    rows = np.asarray(vectors.vectors, np.float32)
    left, right = rows[first[differ]], rows[second[differ]]  # (P, D)
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines = (left * right).sum(1) / np.maximum(lengths, np.finfo(np.float32).tiny)
    return float(cosines.mean()) if cosines.size else 0.0


def crowding_sentence(vectors: WordVectors, *, went_past_best: bool = False) -> str | None:
    """Return what a person should know where all words are near each other; None: they are not.

    Args:
        vectors: that were learned.
        went_past_best: whether more epochs learn the text by heart, as `ending_sentence` says. A
            higher rate gets there sooner, and only more text helps.
    """
    if len(vectors) < FEWEST or (cosine := mean_cosine(vectors)) < USUAL:
        return None
    remedy = (
        "give more text"
        if went_past_best
        else "train longer, raise vectors.alpha, or give more text"
    )
    return (
        f"words that were drawn have a mean cosine of {cosine:.2f}, where less than {USUAL} is "
        "usual: the vectors have hardly left their start, and neighbours mean little; "
        f"{remedy}"
    )
