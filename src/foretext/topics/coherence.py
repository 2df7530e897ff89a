"""How well the words of a topic go together: NPMI of words that share documents.

Normalised pointwise mutual information (Bouma 2009; for topics Lau, Newman & Baldwin 2014, "Machine
Reading Tea Leaves"): log(p(a, b) / p(a) p(b)) / -log p(a, b), from -1, never together, over 0, by
chance, to 1, always together. p is the share of the documents that have a word, or both. The
coherence of a topic is the mean over all pairs of its most probable words.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.data.token_file import TokenFile
from foretext.topics.bags import ids_of

__all__ = ["TOP_WORDS", "coherences"]

TOP_WORDS = 10
SAMPLED = 50_000  # documents
READ_AT_ONCE = 4096


def coherences(top: NDArray[np.int64], tokens: TokenFile) -> NDArray[np.float64]:
    """Return the coherence of each topic, (K,); a pair that no document has both of counts -1.

    Args:
        top: (K, N) ids of the most probable words of each.
        tokens: a text; of a large one a sample of documents is read.
    """
    words, columns = np.unique(top, return_inverse=True)
    both, size = _counts(words, tokens)
    alone = np.diag(both) / size
    found = [_npmi(both[np.ix_(at, at)] / size, alone[at]) for at in columns.reshape(top.shape)]
    return np.array(found)


def _counts(words: NDArray[np.int64], tokens: TokenFile) -> tuple[NDArray[np.float64], int]:
    """Return how many documents have each pair of words, (U, U), and how many were read."""
    column = np.full(tokens.vocab_size, -1, np.int64)
    column[words] = np.arange(len(words))
    size = tokens.num_documents
    sample = np.arange(size) if size <= SAMPLED else np.arange(SAMPLED) * size // SAMPLED
    both = np.zeros((len(words), len(words)))
    for first in range(0, len(sample), READ_AT_ONCE):
        some = sample[first : first + READ_AT_ONCE]
        ids, of_document = ids_of(tokens, some)
        columns = column[ids]
        has = np.zeros((len(some), len(words)), np.float32)
        has[of_document[columns >= 0], columns[columns >= 0]] = 1
        both += has.T @ has
    return both, len(sample)


def _npmi(both: NDArray[np.float64], alone: NDArray[np.float64]) -> float:
    """Return the mean over pairs of words, by the shares of documents that have them."""
    first, second = np.triu_indices(len(alone), 1)
    shared, chance = both[first, second], alone[first] * alone[second]
    values = np.full(len(shared), -1.0)
    some = shared > 0
    always = shared >= 1
    measured = some & ~always
    values[always] = 1.0
    values[measured] = np.log(shared[measured] / chance[measured]) / -np.log(shared[measured])
    return float(values.mean())
