"""What the walks of word2vec and fastText share: which words are kept, and their windows."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.draws import below, high32, low32, random64

__all__ = ["LOSS_EVERY", "MAX_SENTENCE", "keep_words", "window_of"]

MAX_SENTENCE = 10_000  # words; longer sentences are to be cut first, as gensim cuts them
LOSS_EVERY = 16  # centres between two whose loss is counted


@kernel(_nrt=False)
def keep_words(text, first, last, window, counter, words, spans):
    """Copy the words that survive sub-sampling, with a window drawn for each; their number."""
    n = 0
    for position in range(first, last):
        word = np.int64(text.ids[position])
        bits = random64(counter + np.uint64(position - first))
        words[n] = word  # written in any case: a branch would be guessed wrong often
        spans[n] = below(high32(bits), window) + 1
        n += 1 if low32(bits) < text.keep[word] else 0
    return n


@kernel(_nrt=False)
def window_of(words, n, i, span, contexts):
    """The context words of position i, followed by one more as padding; their number."""
    count = 0
    for j in range(max(0, i - span), i):
        contexts[count] = words[j]
        count += 1
    for j in range(i + 1, min(n, i + span + 1)):
        contexts[count] = words[j]
        count += 1
    if count:
        contexts[count] = contexts[count - 1]
    return count
