"""fastText's walk over a text (Bojanowski et al. 2017, section 3): words as means of sub-word rows.

As in the authors' program the input is the mean of a word's rows, and its whole gradient goes to
each of them; with skip-gram it is the centre's rows that meet the words around it. By how much the
hidden vector moves with its rows is known, so it need not be summed again for every pair: a
window's rows are read once and written once, where the authors do both for each pair, and the
numbers are the same.

One deviation. CBOW keeps the sums of the words around the centre, and what their rows are still to
be given, while the window passes over them: a word is read and written once a sentence, and sees
what its neighbours' shared rows have learned only after that.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.fasttext_window import choose_outputs, learn_window
from foretext.kernels.fasttext_words import prefetch_word, read_word, write_word
from foretext.kernels.simd import LANES, fma, load, splat, store, zeros
from foretext.kernels.windows import LOSS_EVERY, keep_words, window_of

__all__ = ["train_slice"]


@kernel(_nrt=False)
def walk_skipgram(model, scratch, n, counter, null, rate):
    """Learn a sentence, each word's rows against the words around it; loss, predictions, counter.

    The loss is that of one centre in sixteen.
    """
    words, contexts, stride = scratch.words, scratch.contexts, model.stride
    loss, predictions = 0.0, 0
    count = next_count = half = 0
    for i in range(-1, n):
        # While position i is learned, the rows of position i + 1 are on their way.
        half = 1 - half
        count, next_count = next_count, 0
        if i + 1 < n:
            next_count = window_of(words, n, i + 1, scratch.spans[i + 1], contexts)
            counter = choose_outputs(
                model, scratch, 1 - half, contexts, 0, next_count, counter, null
            )
            prefetch_word(model.inputs, model.subwords, words[i + 1], stride)
        if count == 0:
            continue
        word = words[i]
        share = np.float32(1.0) / model.subwords.num_units[word]
        gain = model.subwords.pulls[word] * share
        counted = (counter + np.uint64(i)) % np.uint64(LOSS_EVERY) == 0
        read_word(model.inputs, model.subwords, word, stride, share, scratch.hidden, 0)
        loss += learn_window(model, scratch, half, count, rate, gain, counted)
        write_word(model.inputs, model.subwords, word, stride, scratch.moved, 0)
        predictions += count if counted else 0
    return loss, predictions, counter


@kernel(_nrt=False)
def enter(model, scratch, j):
    """The word at position j comes within reach: sum its rows."""
    stride = model.stride
    at = (j % (2 * model.window + 1)) * stride
    one = np.float32(1.0)
    read_word(model.inputs, model.subwords, scratch.words[j], stride, one, scratch.sums, at)
    for d in range(at, at + stride, LANES):
        store(scratch.owed, d, zeros())


@kernel(_nrt=False)
def leave(model, scratch, j):
    """The word at position j goes out of reach: its rows get what they are owed."""
    at = (j % (2 * model.window + 1)) * model.stride
    word = scratch.words[j]
    write_word(model.inputs, model.subwords, word, model.stride, scratch.owed, at)


@kernel(_nrt=False)
def context_mean(model, scratch, i, first, last):
    """Hidden vector of the words from `first` to `last` - 1 but i: the mean over all their rows."""
    units = np.float32(0.0)
    for j in range(first, last):
        if j != i:
            units += model.subwords.num_units[scratch.words[j]]
    share = splat(np.float32(1.0) / units)
    for d in range(0, model.stride, LANES):
        total = zeros()
        for j in range(first, last):
            if j != i:
                slot = j % (2 * model.window + 1)
                total = total + load(scratch.sums, slot * model.stride + d)
        store(scratch.hidden, d, total * share)


@kernel(_nrt=False)
def owe(model, scratch, i, first, last):
    """Note for the words around i by how much each of their rows is to move."""
    for j in range(first, last):
        if j != i:
            at = (j % (2 * model.window + 1)) * model.stride
            pulls = splat(model.subwords.pulls[scratch.words[j]])
            for d in range(0, model.stride, LANES):
                moved = load(scratch.moved, d)
                store(scratch.sums, at + d, fma(pulls, moved, load(scratch.sums, at + d)))
                store(scratch.owed, at + d, load(scratch.owed, at + d) + moved)


@kernel(_nrt=False)
def walk_cbow(model, scratch, n, counter, null, rate):
    """Learn a sentence, the rows around each word against that word; loss, predictions, counter."""
    words, spans, window = scratch.words, scratch.spans, model.window
    loss, predictions = 0.0, 0
    if n < 2:
        return loss, predictions, counter
    for j in range(min(window, n)):
        enter(model, scratch, j)
    half = 0
    for i in range(-1, n):
        half = 1 - half
        if i + 1 < n:
            counter = choose_outputs(model, scratch, 1 - half, words, i + 1, 1, counter, null)
        if i < 0:
            continue
        if i > window:
            leave(model, scratch, i - window - 1)
        if i + window < n:
            enter(model, scratch, i + window)
        if i + window + 1 < n:
            prefetch_word(model.inputs, model.subwords, words[i + window + 1], model.stride)
        first = max(0, i - spans[i])
        last = min(n, i + spans[i] + 1)
        counted = (counter + np.uint64(i)) % np.uint64(LOSS_EVERY) == 0
        context_mean(model, scratch, i, first, last)
        loss += learn_window(model, scratch, half, 1, rate, np.float32(1.0), counted)
        owe(model, scratch, i, first, last)
        predictions += 1 if counted else 0
    for j in range(max(0, n - 1 - window), n):
        leave(model, scratch, j)
    return loss, predictions, counter


@kernel(kept=True)
def train_slice(text, model, scratch, first, last, null, rate_start, rate_end, seed):
    """Train on sentences `first` to `last` - 1, the learning rate falling in a line.

    Returns the sum of the losses counted, the number of predictions they are of, and the words
    walked. `scratch` and the null row `null` are this worker's own.
    """
    token_first = text.sentence_starts[first]
    num_tokens = text.sentence_starts[last] - token_first
    counter = np.uint64(seed) << np.uint64(32)
    loss, predictions = 0.0, 0
    for number in range(first, last):
        length = text.sentence_starts[number + 1] - text.sentence_starts[number]
        done = (text.sentence_starts[number] - token_first) / num_tokens
        rate = np.float32(rate_start + (rate_end - rate_start) * done)
        start = text.places[number]
        end = start + length
        n = keep_words(text, start, end, model.window, counter, scratch.words, scratch.spans)
        counter += np.uint64(length)
        if model.cbow:
            learned = walk_cbow(model, scratch, n, counter, null, rate)
        else:
            learned = walk_skipgram(model, scratch, n, counter, null, rate)
        loss += learned[0]
        predictions += learned[1]
        counter = learned[2]
    return loss, predictions, num_tokens
