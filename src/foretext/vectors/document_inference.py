"""Vectors of documents that doc2vec never met, by descent with everything else as it is."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from foretext.base.runtime import Threads
from foretext.kernels.doc2vec_inference import infer_documents
from foretext.kernels.simd import aligned_zeros
from foretext.kernels.windows import MAX_SENTENCE
from foretext.vectors.doc2vec import DocumentNetwork, HeldOutWords
from foretext.vectors.output_layer import random64
from foretext.vectors.schedule import cut_sentences

__all__ = ["infer"]

NOTHING_HELD_OUT = HeldOutWords()
DRAWN_AT_ONCE = 4096  # documents whose first values are drawn together, to bound memory


def infer(
    network: DocumentNetwork,
    texts: Sequence[NDArray[np.integer]],
    *,
    seed: int,
    epochs: int | None = None,
    workers: int = 1,
) -> NDArray[np.float32]:
    """Return a vector for each text (N, D), zeros for one without a known word.

    A vector depends on its words and the seed alone, neither on the other texts nor on `workers`.
    What is drawn for a text follows from a hash of its words: were it the same for all, their
    vectors would have the same noise in common.

    Args:
        network: with all that was learned; nothing in it changes.
        texts: the ids of the words of each.
        seed: of the first values and of all draws.
        epochs: passes over a text; None: what the settings say.
        workers: threads.
    """
    found = [np.asarray(ids)[network.keep[ids] > 0] for ids in texts]
    starts = np.cumsum([0, *map(len, found)])
    pieces = cut_sentences(np.unique(starts), MAX_SENTENCE)
    filled = np.flatnonzero(np.diff(starts))  # texts with a known word
    numbers = np.searchsorted(starts[filled], pieces[:-1], side="right") - 1
    seeds = np.array([_seed(found[text], seed) for text in filled], np.uint32)
    reader = _Reader(network, seeds)
    documents = network.documents_of(
        np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.uint32),
        pieces,
        numbers,
        NOTHING_HELD_OUT,
    )
    firsts = np.searchsorted(numbers, np.arange(len(filled) + 1))  # pieces of each text
    passes = epochs or network.config.num_passes
    rates = (network.config.rate, network.config.min_alpha)

    def learn(first: int, last: int) -> None:
        infer_documents(
            documents, *reader.arguments, network.scratch(), firsts, first, last, network.null(0),
            passes, *rates, seeds,
        )  # fmt: skip

    shares = np.linspace(0, len(filled), workers + 1).astype(int)
    with Threads(workers) as pool:
        list(pool.map(learn, shares[:-1], shares[1:]))
    vectors = np.zeros((len(texts), network.config.vector_size), np.float32)
    vectors[filled] = reader.documents
    return vectors


class _Reader:
    """Rows of new documents after those of the words, uniform in +-1 / 2D as in the training."""

    def __init__(self, network: DocumentNetwork, seeds: NDArray[np.uint32]) -> None:
        words, size = network.first_document, network.config.vector_size
        inputs = aligned_zeros(words + len(seeds), network.stride)
        inputs[: words * network.stride] = network.inputs[: words * network.stride]
        self.documents = inputs.reshape(-1, network.stride)[words:, :size]
        for first in range(0, len(seeds), DRAWN_AT_ONCE):
            own = seeds[first : first + DRAWN_AT_ONCE].astype(np.uint64) << np.uint64(32)
            numbers = np.add.outer(own, np.arange(size, dtype=np.uint64))  # (N, D)
            bits = random64(numbers)
            rows = self.documents[first : first + DRAWN_AT_ONCE]
            rows[...] = (bits >> np.uint64(40)) * 2.0**-24 - 0.5
            rows /= np.float32(size)
        weights, targets, method, reading = network.arguments
        self.arguments = (weights._replace(inputs=inputs), targets, method, reading)


def _seed(ids: NDArray[np.integer], seed: int) -> int:
    return zlib.crc32(ids.astype("<u4").tobytes(), seed)
