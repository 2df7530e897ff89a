"""Vectors of texts in which near ones mean the same: of a model, or of the words of the texts.

Without a model they are TF-IDF reduced by a singular value decomposition (latent semantic analysis,
Deerwester et al. 1990).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from foretext.corpus.pre_tokenizers import mostly_han
from foretext.vectors.neighbors import unit_rows

__all__ = ["TextEmbedder", "text_vectors"]

DIM = 100
SAMPLE = 200  # texts that show the script
ENOUGH = 50  # texts from which a word of one text alone says nothing of what is alike
MOST_FEATURES = 50_000


class TextEmbedder(Protocol):
    """What turns texts into vectors: word vectors, document vectors, a language model."""

    def embed(self, texts: Any, **options: Any) -> NDArray[np.float32]:
        """Return one vector a text, (N, D)."""
        ...


def text_vectors(
    texts: Sequence[str], embedder: TextEmbedder | None, progress: Any = None
) -> NDArray[np.float32]:
    """Return one vector a text, (N, D), of length 1; zeros where no word is known.

    Args:
        texts: N.
        embedder: that makes them; None: they come from the words of the texts.
        progress: advances by the texts.
    """
    found = _of_words(texts) if embedder is None else embedder.embed([*texts], progress=progress)
    return unit_rows(np.nan_to_num(np.asarray(found, np.float32), posinf=0, neginf=0))


def _of_words(texts: Sequence[str]) -> NDArray[np.float32]:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    by_character = mostly_han("".join(texts[:SAMPLE]))
    words = (
        {"analyzer": "char", "ngram_range": (1, 2)} if by_character else {"token_pattern": r"\w+"}
    )
    vectorizer = TfidfVectorizer(
        sublinear_tf=True,
        min_df=2 if len(texts) >= ENOUGH else 1,
        max_features=MOST_FEATURES,
        dtype=np.float32,
        **words,
    )
    try:
        features = vectorizer.fit_transform(texts)
    except ValueError:  # no text has a word
        return np.zeros((len(texts), 1), np.float32)
    least = min(features.shape)
    if least <= DIM:
        return np.asarray(features.toarray(), np.float32)
    return np.asarray(TruncatedSVD(DIM, random_state=0).fit_transform(features), np.float32)
