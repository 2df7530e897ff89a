"""Documents as bags of words: each word with how often the document has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from foretext.data.token_file import TokenFile
from foretext.kernels.lda import Bags

__all__ = ["Batch", "document_rates", "ids_of"]

SAMPLED = 100_000  # documents, in which it is counted how many have each word
READ_AT_ONCE = 4096

Ids = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some documents as bags.

    Attributes:
        bags: for kernels; its slots are indices into `rows`.
        rows: (U,) which words there are, in rising order.
        documents: (E,) the document of each entry.
        num_words: with repetitions.
    """

    bags: Bags
    rows: NDArray[np.int64]
    documents: NDArray[np.int64]
    num_words: int

    @classmethod
    def of(cls, ids: Ids, documents: NDArray[np.int64], size: int, row_of: Ids) -> Batch:
        """Count the words of documents.

        Args:
            ids: (N,) of all their words, one document after another.
            documents: (N,) which document each stands in, rising.
            size: how many documents there are, B; some may have no words.
            row_of: (V,) the row of each id, -1 where it is no word of topics.
        """
        found = row_of[ids]
        known = found >= 0
        keys = documents[known] * len(row_of) + found[known]
        keys, counts = np.unique(keys, return_counts=True)
        of_entry, row = np.divmod(keys, len(row_of))
        rows, slots = np.unique(row, return_inverse=True)
        starts = np.searchsorted(of_entry, np.arange(size + 1))
        bags = Bags(starts.astype(np.int64), slots.astype(np.int64), counts.astype(np.float32))
        return cls(bags, rows, of_entry, int(counts.sum()))

    @classmethod
    def of_texts(cls, texts: Sequence[Ids], row_of: Ids) -> Batch:
        """Count the words of texts that are given as ids."""
        documents = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        ids = np.concatenate([np.zeros(0, np.int64), *texts]).astype(np.int64)
        return cls.of(ids, documents, len(texts), row_of)

    @property
    def num_documents(self) -> int:
        """Number of documents, B."""
        return len(self.bags.starts) - 1

    @cached_property
    def by_word(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(E,) entries by word, within a word by document, and (U + 1,) where each word begins."""
        order = np.argsort(self.bags.slots, kind="stable")
        starts = np.searchsorted(self.bags.slots[order], np.arange(len(self.rows) + 1))
        return order, starts.astype(np.int64)


def ids_of(tokens: TokenFile, documents: Ids) -> tuple[Ids, NDArray[np.int64]]:
    """Return the ids of some documents (N,), and for each the number of its document (N,)."""
    starts = np.asarray(tokens.document_starts)
    firsts = starts[documents]
    lengths = starts[documents + 1] - firsts
    of_document = np.repeat(np.arange(len(documents)), lengths)
    before = np.cumsum(lengths) - lengths
    at = np.arange(int(lengths.sum())) + np.repeat(firsts - before, lengths)
    return np.asarray(tokens.ids[at]), of_document


def document_rates(tokens: TokenFile) -> NDArray[np.float64]:
    """Return which share of the documents has each id, (V,); of many documents a sample is read."""
    size = tokens.num_documents
    sample = np.arange(size) if size <= SAMPLED else np.arange(SAMPLED) * size // SAMPLED
    found = np.zeros(tokens.vocab_size, np.int64)
    for first in range(0, len(sample), READ_AT_ONCE):
        ids, of_document = ids_of(tokens, sample[first : first + READ_AT_ONCE])
        pairs = np.unique(of_document * tokens.vocab_size + ids.astype(np.int64))
        found += np.bincount(pairs % tokens.vocab_size, minlength=tokens.vocab_size)
    return found / len(sample)
