"""Operations and bytes that a unit of work needs, by formulas, and what a machine allows of it.

A need is an amount of a resource. The resources are the names of `benchmarks.peaks_program`, which
measures how much of each this processor gives a second. A unit takes at least as long as the
resource that gives it the least: that is the roofline (Williams et al. 2009), with more resources
than arithmetic and memory. What needs two resources at the same time may use them at the same time,
so the times are not added up.

D floats a vector, K noise words, C tags, T tokens a row, V words.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.peaks import MEGABYTE, SIZES, STRIDES

__all__ = [
    "ARITHMETIC",
    "Bound",
    "bound",
    "classifier_needs",
    "crf_needs",
    "encoder_needs",
    "fasttext_needs",
    "generation_needs",
    "glove_needs",
    "masked_lm_needs",
    "mean_path_length",
    "neighbor_needs",
    "num_pairs",
    "reading",
    "rows_moved",
    "skipgram_needs",
    "text_needs",
]

Needs = dict[str, float]
ARITHMETIC = "arithmetic float32"  # the better of the loop over registers and the library's product
FLOAT = 4  # bytes


class Bound(NamedTuple):
    """The resource that a unit of work uses up first."""

    resource: str
    limit: float  # units a second


def bound(needs: Mapping[str, float], peaks: Mapping[str, float]) -> Bound:
    """Return which resource binds, and how many units a second it allows."""
    resource = max(needs, key=lambda name: needs[name] / peaks[name])
    return Bound(resource, peaks[resource] / needs[resource])


def reading(num_bytes: float) -> str:
    """Return the resource of reading so many bytes again and again, by the cache they fit."""
    return f"reading {_size(num_bytes):g}"


def rows_moved(dim: int, num_bytes: float) -> str:
    """Return the resource of reading and writing drawn rows of a matrix of so many bytes."""
    stride = next(stride for stride in STRIDES if stride >= dim)
    return f"rows drawn {stride} {_size(num_bytes):g}"


def _size(num_bytes: float) -> float:
    return next((size for size in SIZES if num_bytes <= size * MEGABYTE), SIZES[-1])


def num_pairs(lengths: ArrayLike, window: int) -> float:
    """Pairs of a centre and a context word in sentences of such lengths, the window drawn evenly.

    In n words 2 (n - d) ordered pairs are d apart, and a centre's window reaches so far with
    chance (window - d + 1) / window.
    """
    words = np.asarray(lengths, np.float64)
    return float(
        sum(
            2 * np.maximum(words - d, 0).sum() * (window - d + 1) / window
            for d in range(1, window + 1)
        )
    )


def mean_path_length(counts: Sequence[float], weights: Sequence[float]) -> float:
    """The mean length of Huffman's codes by `counts`, over words that are met by `weights`.

    A word's code has a bit for each node above it, so a node adds the weight of all below it.
    """
    heap = [
        (count, number, weight)
        for number, (count, weight) in enumerate(zip(counts, weights, strict=True))
    ]
    heapq.heapify(heap)
    total, number = 0.0, len(heap)
    while len(heap) > 1:
        first, second = heapq.heappop(heap), heapq.heappop(heap)
        joined = first[2] + second[2]
        total += joined
        heapq.heappush(heap, (first[0] + second[0], number, joined))
        number += 1
    return total / sum(weights)


def skipgram_needs(
    dim: int, pairs: float, centres: float, outputs: float, matrix_bytes: float
) -> Needs:
    """A word of the text, with so many pairs and centres (below 1 where some are left out).

    A pair meets every output of its centre: 2 D operations for the score, 2 D for the gradient of
    either side. A centre brings its output rows and one context word that the window before has
    not had; the other context words are near already.
    """
    return {
        ARITHMETIC: pairs * outputs * 6 * dim,
        rows_moved(dim, matrix_bytes): centres * (outputs + 1),
    }


def fasttext_needs(
    dim: int, pairs: float, centres: float, outputs: float, units: float, matrix_bytes: float
) -> Needs:
    """A word of the text: a centre is the mean of `units` rows, and each pair has its own outputs.

    2 D operations a row to read it, D to move it, and 6 D for a pair and an output.
    """
    return {
        ARITHMETIC: centres * units * 3 * dim + pairs * outputs * 6 * dim,
        rows_moved(dim, matrix_bytes): centres * units + pairs * outputs,
    }


def glove_needs(dim: int, group: int) -> Needs:
    """A cell: `group` cells of a row are learned at once, and its word moves once for them.

    2 D for the score. For each side a gradient (D), its square (2 D) and, once a row, a root and
    the step (2 D); a word has its biases as two more numbers. Cells are 12 bytes; a context's
    numbers and their squares are two rows, in the nearest cache because of the tiles.
    """
    numbers = dim + 2
    once = 1 + 1 / group
    return {
        ARITHMETIC: numbers * (2 + 3 + 3 + 2 * once),
        "roots": numbers * once,
        rows_moved(dim, 0): 2 * once,
        reading(256 * MEGABYTE): 12,
    }


def classifier_needs(
    dim: int, entries: float, words: float, outputs: float, matrix_bytes: float
) -> Needs:
    """A word of a document that has so many entries and words; the outputs of labels stay near.

    2 D operations to read an entry, 2 D to move it, and 6 D an output and document.
    """
    return {
        ARITHMETIC: (entries * 4 * dim + outputs * 6 * dim) / words,
        rows_moved(dim, matrix_bytes): entries / words,
    }


def text_needs() -> Needs:
    """A byte of text: to be read, and its class to be looked up."""
    return {reading(256 * MEGABYTE): 1, "look-ups": 1}


def _layers(layers: int, dim: int, length: float) -> float:
    """Operations of a token through the layers of a Transformer, forward.

    Matrices of 12 D² numbers a layer (queries, keys, values, output: 4, both maps of the
    feed-forward part: 8), two operations each; 2 D T for scores and 2 D T for what they mix.
    """
    return layers * (24 * dim**2 + 4 * dim * length)


def masked_lm_needs(
    layers: int, dim: int, length: int, vocab_size: int, mask_rate: float, resource: str
) -> Needs:
    """A token of a training step: backward is twice forward; the head reads masked tokens alone."""
    head = mask_rate * (2 * dim**2 + 2 * dim * vocab_size)
    return {resource: 3 * (_layers(layers, dim, length) + head)}


def encoder_needs(layers: int, dim: int, lengths: ArrayLike, resource: str) -> Needs:
    """A token of texts of such lengths, forward."""
    numbers = np.asarray(lengths, np.float64)
    return {resource: _layers(layers, dim, float((numbers**2).sum() / numbers.sum()))}


def generation_needs(layers: int, dim: int, vocab_size: int, weight_bytes: int) -> Needs:
    """A token written alone: all weights of layers and head are read once, and used once."""
    weights = layers * 12 * dim**2 + dim * vocab_size
    num_bytes = weights * weight_bytes
    return {reading(num_bytes): num_bytes, ARITHMETIC: 2 * weights}


def crf_needs(tags: int, *, learns: bool) -> Needs:
    """A token in float64: a vector by a matrix forward; backward another, and an outer product."""
    return {"doubles": (6 if learns else 2) * tags**2, "exps": tags}


def neighbor_needs(vocab_size: int, dim: int, queries_at_once: int) -> Needs:
    """A query: a score of each word; the vectors are read once for the queries of a batch."""
    num_bytes = vocab_size * dim * FLOAT
    return {
        ARITHMETIC: 2 * vocab_size * dim,
        reading(num_bytes): num_bytes / queries_at_once,
    }
