"""Sentences of a document in random order (Lewis et al. 2020, "BART", section 2.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.data.row_draws import Draws
from foretext.data.token_file import TokenFile

__all__ = ["has_sentences", "shuffle_sentences"]

Ids = NDArray[np.int64]


def has_sentences(tokens: TokenFile) -> bool:
    """Whether a text has a document of two sentences or more."""
    return tokens.num_sentences > tokens.num_documents


def shuffle_sentences(
    sentences: Ids, documents: Ids, separators: NDArray[np.bool_], rng: Draws
) -> Ids:
    """Draw an order of the sentences of each document; return the places in that order, (B, T).

    Documents stay where they are, and so do the separators at their ends. Sentences that a row cuts
    off are sentences, too.

    Args:
        sentences: (B, T), the number of the sentence that a token is in.
        documents: (B, T), likewise.
        separators: (B, T), True = the token behind a document.
        rng: makes the draws.
    """
    first = np.zeros(sentences.shape, np.int64)
    first[:, 1:] = sentences[:, 1:] != sentences[:, :-1]
    in_row = np.cumsum(first, axis=1)  # 0, 1, 2, ... from the left
    draws = np.take_along_axis(rng.random(sentences.shape), in_row, axis=1)  # one a sentence
    draws[separators] = 1.0
    order: Ids = np.argsort(documents - documents[:, :1] + draws / 2, axis=1, kind="stable")
    return order
