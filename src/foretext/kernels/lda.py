"""The two halves of a step of online LDA: topics of documents, then words of topics.

Hoffman, Blei & Bach 2010, "Online Learning for Latent Dirichlet Allocation", algorithm 2. A
Dirichlet with parameters a has E[log p] = psi(a) - psi(sum of a), and only the exponential of it is
used. That is computed without psi or a logarithm: with y = x + 5.5,

    exp(psi(x)) = (y + 1 / 24y - 37 / 5760y**3 + 10313 / 2903040y**5 - ...) / exp(s)
    s = 1 / x + 1 / (x + 1) + ... + 1 / (x + 5)

to a relative error below 1e-8. A row of such numbers, for a word or for a document, may be
multiplied by any number, for the shares of topics are normalised for each word of a document. So
the smallest s of a row is subtracted before the exponential, and nothing underflows.

K topics stand in rows of `stride` floats, whole registers. The floats after the K-th are the prior
in a row of parameters, and zero in a row of weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.elementary import exponential, lane_max, maximum
from foretext.kernels.simd import LANES, fma, load, splat, store, transposed_sum, zeros

__all__ = ["Bags", "Inference", "add_words", "infer_topics", "weigh_words"]

AT_ONCE = 4  # words whose products are summed together


class Bags(NamedTuple):
    """Documents as counted words."""

    starts: np.ndarray  # (B + 1,) int64, of the documents among the entries
    slots: np.ndarray  # (E,) int64, which of the U words each entry is
    counts: np.ndarray  # (E,) float32, how often the document has it


class Inference(NamedTuple):
    """What is inferred of documents; rows are laid end to end."""

    parameters: np.ndarray  # (B, stride) float32, of the Dirichlet of each document
    weights: np.ndarray  # (B, stride) float32, exp(E[log share]) up to a factor
    ratios: np.ndarray  # (E,) float32, count / sum over topics of both weights


@kernel(_nrt=False)
def harmonic(x):
    """Return 1 / x + 1 / (x + 1) + ... + 1 / (x + 5)."""
    one, four, six = splat(np.float32(1.0)), splat(np.float32(4.0)), splat(np.float32(6.0))
    five, ten = splat(np.float32(5.0)), splat(np.float32(10.0))
    t = x * (x + five)
    pairs = one / t + (t + t + ten) / ((t + four) * (t + six))
    return (x + x + five) * pairs


@kernel(_nrt=False)
def series(x):
    """Return exp(psi(x + 6))."""
    y = x + splat(np.float32(5.5))
    inverse = splat(np.float32(1.0)) / y
    square = inverse * inverse
    p = fma(square, splat(np.float32(10313 / 2903040)), splat(np.float32(-37 / 5760)))
    p = fma(square, p, splat(np.float32(1 / 24)))
    return fma(inverse, p, y)


@kernel(_nrt=False)
def row_weights(parameters, at, stride, weights, to):
    """Write exp(psi) of a row, all divided by one number, so that the largest is above 1."""
    least = splat(np.float32(-3e38))
    for k in range(0, stride, LANES):
        least = maximum(least, zeros() - harmonic(load(parameters, at + k)))
    offset = splat(lane_max(least))
    for k in range(0, stride, LANES):
        x = load(parameters, at + k)
        store(weights, to + k, series(x) * exponential(zeros() - harmonic(x) - offset))


@kernel(kept=True, _nrt=False)
def weigh_words(parameters, stride, rows, topics, weights):
    """Write exp(E[log p]) of words in topics, up to a factor for each word.

    parameters: float32, rows of words; rows: (U,) int64 of them; topics: (stride,) float32, 1 /
    exp(psi(sum)) of each topic, 0 beyond the K-th; weights: float32, U rows.
    """
    for slot in range(rows.size):
        to = slot * stride
        row_weights(parameters, rows[slot] * stride, stride, weights, to)
        for k in range(0, stride, LANES):
            store(weights, to + k, load(weights, to + k) * load(topics, k))
    return rows.size


@kernel(_nrt=False)
def word_sum(weights, word, document, to, stride):
    """Return the lanes of the products of a word's weights and a document's."""
    total = zeros()
    for k in range(0, stride, LANES):
        total = fma(load(weights, word + k), load(document, to + k), total)
    return total


@kernel(_nrt=False)
def share_words(bags, weights, stride, first, last, found, to, sums):
    """Give each word of a document to topics; ``found.ratios``, and the sums over its words."""
    for k in range(0, stride, LANES):
        store(sums, k, zeros())
    least = np.float32(1e-30)
    for group in range(first, last, AT_ONCE):
        size = min(AT_ONCE, last - group)
        at = bags.slots[group] * stride
        # A word beyond the last one is the first of the group once more.
        one = bags.slots[group + 1] * stride if size > 1 else at
        two = bags.slots[group + 2] * stride if size > 2 else at
        three = bags.slots[group + 3] * stride if size > 3 else at
        products = (
            word_sum(weights, at, found.weights, to, stride),
            word_sum(weights, one, found.weights, to, stride),
            word_sum(weights, two, found.weights, to, stride),
            word_sum(weights, three, found.weights, to, stride),
        )
        store(sums, stride, transposed_sum(products))
        for i in range(size):
            entry = group + i
            ratio = bags.counts[entry] / (sums[stride + i] + least)
            found.ratios[entry] = ratio
            word, factor = bags.slots[entry] * stride, splat(ratio)
            for k in range(0, stride, LANES):
                store(sums, k, fma(factor, load(weights, word + k), load(sums, k)))


@kernel(_nrt=False)
def infer_document(bags, weights, stride, num_topics, prior, least, passes, found, sums, document):
    """Infer the topics of one document; returns the passes over its words."""
    first, last = bags.starts[document], bags.starts[document + 1]
    to = document * stride
    total = np.float32(0.0)
    for entry in range(first, last):
        total += bags.counts[entry]
    start = prior + total / np.float32(num_topics)
    for k in range(stride):
        found.parameters[to + k] = start if k < num_topics else prior
    row_weights(found.parameters, to, stride, found.weights, to)
    done = 0
    for _ in range(passes):
        done += 1
        share_words(bags, weights, stride, first, last, found, to, sums)
        change = np.float32(0.0)
        for k in range(num_topics):
            value = prior + found.weights[to + k] * sums[k]
            change += abs(value - found.parameters[to + k])
            found.parameters[to + k] = value
        row_weights(found.parameters, to, stride, found.weights, to)
        if change < least * np.float32(num_topics):
            break
    share_words(bags, weights, stride, first, last, found, to, sums)
    return done


@kernel(kept=True, _nrt=False)
def infer_topics(bags, weights, stride, num_topics, prior, least, passes, found, sums, first, last):
    """Infer the topics of documents `first` to `last` - 1 (E-step); returns the passes in all.

    weights: of the U words, from `weigh_words`; prior: float32 of a document's topics; least: a
    document is done once its K parameters change by less in the mean; passes: at most; found: is
    written to; sums: (stride + 16,) float32, scratch of this thread. A document depends on no
    other one.
    """
    done = 0
    for document in range(first, last):
        done += infer_document(
            bags, weights, stride, num_topics, prior, least, passes, found, sums, document
        )
    return done


@kernel(kept=True, _nrt=False)
def add_words(
    bags, order, word_starts, documents, weights, stride, rows, factor, found, sums, parameters,
    first, last,
):  # fmt: skip
    """Add what documents say of words `first` to `last` - 1 (M-step); returns their number.

    order: (E,) int64, the entries by word, and by document within a word, so that the sum of a word
    is the same whoever computes it; word_starts: (U + 1,) int64; documents: (E,) int64 of the
    entries; rows: (U,) int64 of the words in `parameters`; factor: float32, the rate times all
    documents by those here.
    """
    for word in range(first, last):
        for k in range(0, stride, LANES):
            store(sums, k, zeros())
        for place in range(word_starts[word], word_starts[word + 1]):
            entry = order[place]
            ratio, document = splat(found.ratios[entry]), documents[entry] * stride
            for k in range(0, stride, LANES):
                store(sums, k, fma(ratio, load(found.weights, document + k), load(sums, k)))
        at, to = word * stride, rows[word] * stride
        for k in range(0, stride, LANES):
            product = load(sums, k) * load(weights, at + k) * splat(factor)
            store(parameters, to + k, load(parameters, to + k) + product)
    return last - first
