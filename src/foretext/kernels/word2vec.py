"""word2vec's walk over a text (Mikolov et al. 2013, "Distributed Representations ...", section 2).

One call of `train_slice` walks a run of sentences and updates both matrices in place. Everything
random in it follows from `seed`, so a slice can be repeated. Skip-gram and CBOW share the walk, and
so do negative sampling and hierarchical softmax: each centre word gives a list of output rows with
a label each (its own row and K noise rows, or the nodes of its Huffman path).

Two deviations from the paper. Skip-gram draws its noise once a window, not once a pair, as the
words of a window share their centre: fewer draws and cache misses, and matrix products instead of
dot products; `shared_noise=False` is the classic order. And, as in the authors' program, it is the
context word whose vector meets the outputs of the centre; over a text that is the same set of
pairs.

V words, D floats a row (`stride`, whole registers), C context words, N outputs of a centre in
groups of six; a short group is filled with a null row under label 1/2, whose gradient is nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.cbow import add_to_rows, cbow_gradients, cbow_update, sum_rows
from foretext.kernels.compile import kernel
from foretext.kernels.draws import below, draw_noise, high32, low32, random64
from foretext.kernels.sigmoid import GROUP, logistic_loss
from foretext.kernels.simd import LANES, load, prefetch, store
from foretext.kernels.skipgram import skipgram_gradients, skipgram_update
from foretext.kernels.softmax import softmax_step

__all__ = [
    "MAX_SENTENCE",
    "Method",
    "Scratch",
    "Targets",
    "Text",
    "Weights",
    "scratch_for",
    "train_slice",
]

MAX_SENTENCE = 10_000  # words; longer sentences are to be cut first, as gensim cuts them
NEAR_ROOT = 4  # nodes of a path that are always near, as every word's path has them
AHEAD = 6  # positions between asking for rows and learning them: the time memory takes
EXCHANGE_EVERY = 256  # centres between two exchanges of the nodes near the root
LOSS_EVERY = 16  # centres between two whose loss is counted
TRIES = 64  # draws of a noise word, before one of the context is taken: all words may be there


class Text(NamedTuple):
    """What is read."""

    ids: np.ndarray  # (N,) uint16 or uint32
    sentence_starts: np.ndarray  # (S + 1,) int64, no sentence longer than MAX_SENTENCE
    keep: np.ndarray  # (V,) uint32, the chance to survive sub-sampling, in 1 / 2**32


class Weights(NamedTuple):
    """What is learned, flat, each row padded with zeros to whole registers."""

    inputs: np.ndarray  # (V * D,) float32
    outputs: np.ndarray  # ((V + workers * (1 + 2 * hot)) * D,) float32; at the end the workers' own
    stride: int  # D


class Targets(NamedTuple):
    """Where a centre's outputs come from: noise words, or nodes of a Huffman tree."""

    negatives: int  # K; 0 for the tree or the full softmax
    noise: np.ndarray  # (V, 2) uint32, alias table
    path_starts: np.ndarray  # (V + 1,) int64
    path_nodes: np.ndarray  # int32, root first
    path_codes: np.ndarray  # uint8
    most: int  # outputs that a centre can have
    hot_first: int  # tree: nodes from this one on are near the root, ...
    num_hot: int  # ... and so many that each worker has copies of its own, after its null row


class Method(NamedTuple):
    """How a window is learned."""

    window: int
    cbow: bool  # else skip-gram
    mean: bool  # CBOW: the mean of the context words, else their sum
    exact_gradient: bool  # CBOW with the mean: a context word gets its share of the gradient
    softmax: bool  # full softmax over all words
    shared_noise: bool  # skip-gram: one set of noise words for a window, else one for a pair
    outside_context: bool = False  # noise words are none of the window's context words


class Scratch(NamedTuple):
    """Room for one sentence and for one window's intermediate results."""

    words: np.ndarray  # (MAX_SENTENCE,) int64, what sub-sampling left of a sentence
    spans: np.ndarray  # (MAX_SENTENCE,) int64, the window drawn for each
    rows: np.ndarray  # (MAX_SENTENCE * N,) int64, the outputs of each
    labels: np.ndarray  # (groups * 16,) float32, of one centre's outputs
    contexts: np.ndarray  # (C + 2,) int64
    single: np.ndarray  # (2,) int64, one context word alone
    gradients: np.ndarray  # (groups * C * 6 + 16,), of the scores
    delta: np.ndarray  # (C * 16,), a strip of the input rows' gradients
    hidden: np.ndarray  # (D,), CBOW
    back: np.ndarray  # (D,), hidden's gradient
    logits: np.ndarray  # (V + 16,), full softmax


def scratch_for(weights: Weights, targets: Targets, method: Method) -> Scratch:
    """Allocate the room that one worker needs.

    It is done here and not in the kernel, as a function that allocates counts references to every
    array it touches, which is most of the cost of a short one.
    """
    slots = 2 * method.window + 2
    groups = (targets.most + GROUP - 1) // GROUP
    labels = np.zeros(groups * LANES, np.float32)
    noise_labels(labels, targets.negatives, groups)
    logits = targets.path_starts.size - 1 + LANES if method.softmax else 0
    return Scratch(
        words=np.empty(MAX_SENTENCE, np.int64),
        spans=np.empty(MAX_SENTENCE, np.int64),
        rows=np.empty(MAX_SENTENCE * groups * GROUP, np.int64),
        labels=labels,
        contexts=np.zeros(slots, np.int64),
        single=np.zeros(2, np.int64),
        gradients=np.zeros(groups * slots * GROUP + LANES, np.float32),
        delta=np.zeros(slots * LANES, np.float32),
        hidden=np.zeros(weights.stride, np.float32),
        back=np.zeros(weights.stride, np.float32),
        logits=np.zeros(logits, np.float32),
    )


@kernel(_nrt=False)
def set_label(labels, k, label):
    """Write the label of output k where both contexts of a block read it."""
    at = (k // GROUP) * LANES + k % GROUP
    labels[at] = label
    labels[at + GROUP] = label


@kernel(_nrt=False)
def noise_labels(labels, negatives, groups):
    """Label 1 for the centre, 0 for each noise word, 1/2 for what fills the last group."""
    for k in range(groups * GROUP):
        set_label(labels, k, np.float32(0.5) if k > negatives else np.float32(k == 0))


@kernel(_nrt=False)
def path_outputs(rows, labels, centre, targets, null):
    """The inner nodes of the centre's path, each labelled 1 - code; returns their groups."""
    first = targets.path_starts[centre]
    length = targets.path_starts[centre + 1] - first
    groups = (length + GROUP - 1) // GROUP
    for k in range(groups * GROUP):
        if k < length:
            node = targets.path_nodes[first + k]
            rows[k] = node if node < targets.hot_first else null + 1 + node - targets.hot_first
            set_label(labels, k, np.float32(1.0) - np.float32(targets.path_codes[first + k]))
        else:
            rows[k] = null
            set_label(labels, k, np.float32(0.5))
    return groups


@kernel(_nrt=False)
def keep_words(text, first, last, window, counter, words, spans):
    """Copy the words that survive sub-sampling, with a window drawn for each; their number."""
    n = 0
    for position in range(first, last):
        word = np.int64(text.ids[position])
        bits = random64(counter + np.uint64(position - first))
        if low32(bits) < text.keep[word]:
            words[n] = word
            spans[n] = below(high32(bits), window) + 1
            n += 1
    return n


@kernel(_nrt=False)
def window_of(words, n, i, span, contexts):
    """The context words of position i, followed by one more as padding; their number."""
    count = 0
    for j in range(max(0, i - span), min(n, i + span + 1)):
        if j != i:
            contexts[count] = words[j]
            count += 1
    if count:
        contexts[count] = contexts[count - 1]
    return count


@kernel(_nrt=False)
def outputs_at(rows, first, centre, targets, counter, null):
    """The centre and K noise words other than it, from `first` on; the counter after the draws."""
    rows[first] = centre
    for k in range(first + 1, first + targets.negatives + 1):
        drawn = centre
        while drawn == centre:
            counter += np.uint64(1)
            drawn = draw_noise(targets.noise, counter)
        rows[k] = drawn
    while (k + 1) % GROUP:
        k += 1
        rows[k] = null
    return counter


@kernel(_nrt=False)
def is_among(word, words, start, stop):
    """Whether `word` is one of `words` from `start` to before `stop`."""
    found = False
    for j in range(start, stop):
        found |= words[j] == word
    return found


@kernel(_nrt=False)
def outputs_outside(rows, first, centre, targets, counter, null, words, start, stop):
    """What `outputs_at` does, with noise words that are none of `words[start:stop]` either."""
    rows[first] = centre
    for k in range(first + 1, first + targets.negatives + 1):
        drawn = centre
        tries = 0
        while drawn == centre or (tries < TRIES and is_among(drawn, words, start, stop)):
            tries += 1
            counter += np.uint64(1)
            drawn = draw_noise(targets.noise, counter)
        rows[k] = drawn
    while (k + 1) % GROUP:
        k += 1
        rows[k] = null
    return counter


@kernel(_nrt=False)
def draw_outputs(scratch, n, targets, method, counter, null, width):
    """Draw the outputs of each position of a sentence; the counter after the draws."""
    rows, words = scratch.rows, scratch.words
    if method.outside_context:
        for i in range(n):
            start, stop = max(0, i - scratch.spans[i]), min(n, i + scratch.spans[i] + 1)
            counter = outputs_outside(
                rows, i * width, words[i], targets, counter, null, words, start, stop
            )
    else:
        for i in range(n):
            counter = outputs_at(rows, i * width, words[i], targets, counter, null)
    return counter


@kernel(_nrt=False)
def prefetch_outputs(i, n, weights, targets, scratch, width):
    """Bring the rows that position i will need nearer: its own and those of its outputs."""
    if i >= n:
        return
    word = scratch.words[i]
    for d in range(0, weights.stride, LANES):
        prefetch(weights.inputs, word * weights.stride + d)
    if targets.negatives:
        for k in range(i * width, (i + 1) * width):
            for d in range(0, weights.stride, LANES):
                prefetch(weights.outputs, scratch.rows[k] * weights.stride + d)
    else:
        for k in range(targets.path_starts[word] + NEAR_ROOT, targets.path_starts[word + 1]):
            for d in range(0, weights.stride, LANES):
                prefetch(weights.outputs, np.int64(targets.path_nodes[k]) * weights.stride + d)


@kernel(_nrt=False)
def exchange_hot(outputs, stride, targets, null):
    """Give what this worker learned of the hot nodes to all, and take what the others learned.

    Every path goes through them; were they shared, their cache lines would be on the way between
    the cores all the time. A worker's copies follow its null row, and after them the values at the
    last exchange.
    """
    size = targets.num_hot * stride
    shared = targets.hot_first * stride
    own = (null + 1) * stride
    for d in range(0, size, LANES):
        change = load(outputs, own + d) - load(outputs, own + size + d)
        value = load(outputs, shared + d) + change
        store(outputs, shared + d, value)
        store(outputs, own + d, value)
        store(outputs, own + size + d, value)


@kernel(_nrt=False)
def learn_skipgram(weights, scratch, contexts, count, first, groups, rate):
    """Learn `count` context words against the outputs from number `first` on."""
    inputs, outputs, stride = weights
    skipgram_gradients(
        inputs,
        contexts,
        count,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.labels,
        rate,
        scratch.gradients,
    )
    skipgram_update(
        inputs,
        contexts,
        count,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.gradients,
        scratch.delta,
    )


@kernel(_nrt=False)
def skipgram_loss(contexts, count, groups, gradients, rate):
    """The summed loss of the window just learned."""
    loss = 0.0
    for g in range(groups):
        loss += logistic_loss(gradients, g * contexts.size * GROUP, count * GROUP, rate)
    return loss


@kernel(_nrt=False)
def learn_cbow(weights, scratch, method, count, first, groups, rate):
    """Learn one window as a whole against the outputs from number `first` on."""
    inputs, outputs, stride = weights
    share = np.float32(1.0) / np.float32(count)
    one = np.float32(1.0)
    scale = share if method.mean else one
    sum_rows(inputs, scratch.contexts, count, stride, scale, scratch.hidden)
    cbow_gradients(
        scratch.hidden,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.labels,
        rate,
        scratch.gradients,
    )
    cbow_update(
        scratch.hidden,
        outputs,
        scratch.rows,
        first,
        groups,
        stride,
        scratch.gradients,
        scratch.back,
    )
    divided = method.mean and method.exact_gradient
    add_to_rows(inputs, scratch.contexts, count, stride, share if divided else one, scratch.back)


@kernel(_nrt=False)
def learn_softmax(weights, scratch, method, centre, contexts, count, rate):
    """Learn a run of context words, summed, against the whole vocabulary; the loss."""
    inputs, outputs, stride = weights
    share = np.float32(1.0) / np.float32(count)
    one = np.float32(1.0)
    vocab_size = scratch.logits.size - LANES
    sum_rows(inputs, contexts, count, stride, share if method.mean else one, scratch.hidden)
    loss = softmax_step(
        scratch.hidden, outputs, vocab_size, stride, centre, rate, scratch.logits, scratch.back
    )
    divided = method.mean and method.exact_gradient
    add_to_rows(inputs, contexts, count, stride, share if divided else one, scratch.back)
    return loss


@kernel(_nrt=False)
def learn_window(
    weights, targets, method, scratch, centre, count, first, groups, rate, counter, null, counted
):
    """Learn one window; returns its loss and predictions, if they are counted, and the counter."""
    contexts, single, gradients = scratch.contexts, scratch.single, scratch.gradients
    loss = 0.0
    if method.softmax and method.cbow:
        return learn_softmax(weights, scratch, method, centre, contexts, count, rate), 1, counter
    if method.softmax:
        for a in range(count):
            single[0] = contexts[a]
            loss += learn_softmax(weights, scratch, method, centre, single, 1, rate)
        return loss, count, counter
    if method.cbow:
        learn_cbow(weights, scratch, method, count, first, groups, rate)
        if counted:
            loss = logistic_loss(gradients, 0, groups * GROUP, rate)
        return loss, 1 if counted else 0, counter
    if method.shared_noise or not targets.negatives:
        learn_skipgram(weights, scratch, contexts, count, first, groups, rate)
        if counted:
            loss = skipgram_loss(contexts, count, groups, gradients, rate)
        return loss, count if counted else 0, counter
    for a in range(count):
        single[0] = single[1] = contexts[a]
        if a:
            if method.outside_context:
                counter = outputs_outside(
                    scratch.rows, first, centre, targets, counter, null, contexts, 0, count
                )
            else:
                counter = outputs_at(scratch.rows, first, centre, targets, counter, null)
        learn_skipgram(weights, scratch, single, 1, first, groups, rate)
        if counted:
            loss += skipgram_loss(single, 1, groups, gradients, rate)
    return loss, count if counted else 0, counter


@kernel(_nrt=False)
def train_slice(
    text, weights, targets, method, scratch, first, last, null, rate_start, rate_end, seed
):
    """Train on sentences `first` to `last` - 1, the learning rate falling in a line.

    Returns the sum of the losses counted, the number of predictions they are of, and the number of
    words walked. `scratch` and the null row `null` are this worker's own.
    """
    most_groups = (targets.most + GROUP - 1) // GROUP
    width = most_groups * GROUP if targets.negatives else 0
    groups = most_groups
    token_first = text.sentence_starts[first]
    num_tokens = text.sentence_starts[last] - token_first
    counter = np.uint64(seed) << np.uint64(32)
    loss = 0.0
    predictions = 0
    centres = 0
    exchange_hot(weights.outputs, weights.stride, targets, null)
    for sentence in range(first, last):
        start = text.sentence_starts[sentence]
        end = text.sentence_starts[sentence + 1]
        done = (start - token_first) / num_tokens
        rate = np.float32(rate_start + (rate_end - rate_start) * done)
        n = keep_words(text, start, end, method.window, counter, scratch.words, scratch.spans)
        counter += np.uint64(end - start)
        if targets.negatives:
            counter = draw_outputs(scratch, n, targets, method, counter, null, width)
        for i in range(n):
            if not method.softmax:
                prefetch_outputs(i + AHEAD, n, weights, targets, scratch, width)
            count = window_of(scratch.words, n, i, scratch.spans[i], scratch.contexts)
            if count == 0:
                continue
            if not targets.negatives and not method.softmax:
                groups = path_outputs(scratch.rows, scratch.labels, scratch.words[i], targets, null)
            centres += 1
            if centres % EXCHANGE_EVERY == 0:
                exchange_hot(weights.outputs, weights.stride, targets, null)
            window_loss, counted, counter = learn_window(
                weights,
                targets,
                method,
                scratch,
                scratch.words[i],
                count,
                i * width,
                groups,
                rate,
                counter,
                null,
                centres % LOSS_EVERY == 0,
            )
            loss += window_loss
            predictions += counted
    exchange_hot(weights.outputs, weights.stride, targets, null)
    return loss, predictions, num_tokens
