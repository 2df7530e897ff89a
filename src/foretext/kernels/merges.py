"""Byte pair encoding: which pairs of neighbouring symbols to merge, most frequent first.

Words are symbols end to end. A pair knows its count and, by way of its entries in the queue, the
words in which it stands; a merge visits these words alone. (Sennrich et al. 2016, section 3.2, with
the lazy queue of the `tokenizers` library.)

Compiled code makes no array. Where one is full, it stops in the middle of its work and says which;
here the array gets more room, and the code goes on.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.merge_arrays import (
    FIRST_MET,
    SMALLEST_IDS,
    Changes,
    LearnedTokens,
    Limits,
    MergeLearner,
    Pairs,
    Queue,
    Words,
    longer,
    new_changes,
    new_pairs,
    new_queue,
)
from foretext.kernels.merge_changes import (
    apply_changes,
    clear_changes,
    num_united_words,
    queue_new_pairs,
    rewrite_words,
)
from foretext.kernels.merge_pairs import add_pair, find_pair, key_of, place_pairs
from foretext.kernels.merge_queue import drop_words, new_entry, pop, push
from foretext.kernels.merge_tokens import joined_token, place_token

__all__ = [
    "FIRST_MET",
    "SMALLEST_IDS",
    "LearnedTokens",
    "Limits",
    "MergeLearner",
    "Words",
    "merge_next",
    "start_learner",
]

FEWEST_PAIRS = 1 << 12  # that there is room for at first

# What is full when a kernel stops.
NOTHING, TOKENS, EVENTS, PAIRS, ENTRIES, ENTRY_WORDS = range(6)

# Places in MergeLearner.merge, and the stages of a merge.
STAGE, ENTRY, LEFT, RIGHT, NEW, AT = range(6)
CHOOSE, JOIN, REWRITE, ENQUEUE = range(4)


def start_learner(words: Words, tokens: LearnedTokens, order: int) -> MergeLearner:
    """Count all pairs and queue them."""
    pairs = new_pairs(FEWEST_PAIRS)
    num_words = np.zeros(FEWEST_PAIRS, np.int32)  # (P,) that a pair stands in
    last_word = np.full(FEWEST_PAIRS, -1, np.int32)  # (P,)
    word = 0
    while (word := _count_pairs(words, pairs, num_words, last_word, word)) < words.starts.size:
        pairs = _more_pairs(pairs)
        num_words = longer(num_words, pairs.keys.size)
        last_word = longer(last_word, pairs.keys.size, -1)
    queue = new_queue(int(pairs.used[0]), int(num_words.sum()))
    last_word[:] = -1
    _queue_pairs(words, tokens, pairs, queue, num_words, last_word, order)
    changes = new_changes(tokens.lengths.size)
    return MergeLearner(words, tokens, pairs, queue, changes, np.zeros(6, np.int64))


def merge_next(
    learner: MergeLearner, limits: Limits, merges: np.ndarray
) -> tuple[MergeLearner, int]:
    """Merge pair after pair until `merges` (M, 3) is full: left, right and new token.

    Returns the learner and the number of rows written; fewer than M when nothing is left to do.
    """
    written, full = _merge_while_room(learner, limits, merges, 0)
    while full != NOTHING:
        learner = _with_room(learner, full)
        written, full = _merge_while_room(learner, limits, merges, written)
    return learner, written


# ---------------------------------------------------------------------------------------- more room


def _with_room(learner: MergeLearner, full: int) -> MergeLearner:
    _, tokens, pairs, queue, changes, _ = learner
    if full == TOKENS:
        points = longer(tokens.points, 2 * tokens.points.size)
        return learner._replace(tokens=tokens._replace(points=points))
    if full == EVENTS:
        return learner._replace(changes=_more_events(changes, learner.words.longest))
    if full == PAIRS:
        return learner._replace(pairs=_more_pairs(pairs))
    return learner._replace(queue=_longer_queue(queue, changes, full))


def _more_pairs(pairs: Pairs) -> Pairs:
    """The same pairs with room for twice as many, half of the slots empty."""
    size = 2 * pairs.keys.size
    larger = Pairs(
        np.zeros(2 * size, np.uint64),
        longer(pairs.keys, size),
        longer(pairs.counts, size),
        longer(pairs.newest, size),
        pairs.used,
    )
    place_pairs(larger)
    return larger


def _more_events(changes: Changes, num_events: int) -> Changes:
    size = 2 * (int(changes.used[2]) + num_events)
    return changes._replace(
        sides=longer(changes.sides, size),
        neighbors=longer(changes.neighbors, size),
        words=longer(changes.words, size),
    )


def _longer_queue(queue: Queue, changes: Changes, full: int) -> Queue:
    """Half as much again of what is full: the entries, or their words."""
    if full == ENTRY_WORDS:
        num_words = max(queue.words.size, int(queue.used[2] + changes.used[2]))
        return queue._replace(words=longer(queue.words, num_words + num_words // 2))
    num_entries = int(queue.used[1] + changes.used[0] + changes.used[1])
    size = num_entries + num_entries // 2
    return queue._replace(
        counts=longer(queue.counts, size),
        ties=longer(queue.ties, size),
        entries=longer(queue.entries, size),
        pairs=longer(queue.pairs, size),
        firsts=longer(queue.firsts, size),
        stops=longer(queue.stops, size),
    )


# ------------------------------------------------------------------------------------ the start


@kernel(kept=True)
def _count_pairs(
    words: Words, pairs: Pairs, num_words: np.ndarray, last_word: np.ndarray, start: int
) -> int:
    """Count the pairs of all words from `start` on, and the words that each stands in.

    Returns the word it stopped at: all words, or the one to go on from once there is more room.
    """
    for word in range(start, words.starts.size):
        first, last = words.starts[word], _last_symbol(words, word)
        if pairs.used[0] + last - first > pairs.keys.size:
            return word
        for at in range(first, last):
            pair = add_pair(pairs, key_of(words.symbols[at], words.symbols[at + 1]))
            pairs.counts[pair] += words.counts[word]
            if last_word[pair] != word:
                last_word[pair] = word
                num_words[pair] += 1
    return words.starts.size


@kernel(kept=True)
def _queue_pairs(
    words: Words,
    tokens: LearnedTokens,
    pairs: Pairs,
    queue: Queue,
    num_words: np.ndarray,
    last_word: np.ndarray,
    order: int,
) -> None:
    """Enter all tokens, and make an entry of each pair; `last_word` (P,) is -1 everywhere."""
    for token in range(tokens.used[0]):
        place_token(tokens, token)
    for pair in range(pairs.used[0]):
        queue.stops[pair] = new_entry(queue, pair, num_words[pair])
    for word in range(words.starts.size):
        for at in range(words.starts[word], _last_symbol(words, word)):
            pair = find_pair(pairs, key_of(words.symbols[at], words.symbols[at + 1]))
            if last_word[pair] != word:
                last_word[pair] = word
                queue.words[queue.stops[pair]] = word
                queue.stops[pair] += 1
    for entry in range(pairs.used[0]):
        push(words, tokens, pairs, queue, entry, order)


@kernel(_nrt=False, forceinline=True)
def _last_symbol(words: Words, word: int) -> np.int64:
    """Where the last symbol of a word stands; where it starts when it has none."""
    at = words.starts[word]
    if words.symbols[at] == words.end:
        return at  # type: ignore[no-any-return]
    while words.symbols[at + 1] != words.end:
        at += 1
    return at  # type: ignore[no-any-return]


# ------------------------------------------------------------------------------------ the merges


@kernel(kept=True)
def _merge_while_room(
    learner: MergeLearner, limits: Limits, merges: np.ndarray, written: int
) -> tuple[int, int]:
    """Go on with the merge under way, and with the next ones, until an array is full.

    Returns the rows written and what is full; NOTHING: `merges` is, or nothing is left to do.
    """
    words, tokens, pairs, queue, changes, merge = learner
    while True:
        if merge[STAGE] == CHOOSE:
            if written == merges.shape[0] or tokens.used[0] >= limits.vocab_size:
                return written, NOTHING
            entry = pop(words, tokens, pairs, queue, limits)
            if entry < 0:
                return written, NOTHING
            key = pairs.keys[queue.pairs[entry]]
            merge[ENTRY], merge[LEFT], merge[RIGHT] = entry, key >> 32, key & 0xFFFFFFFF
            merge[STAGE] = JOIN
        entry, left, right = merge[ENTRY], merge[LEFT], merge[RIGHT]
        if merge[STAGE] == JOIN:
            new = joined_token(tokens, left, right, limits.prefix)
            if new < 0:
                return written, TOKENS
            merges[written, 0], merges[written, 1], merges[written, 2] = left, right, new
            written += 1
            merge[NEW], merge[AT] = new, queue.firsts[entry]
            merge[STAGE] = REWRITE
        new = merge[NEW]
        if merge[STAGE] == REWRITE:
            merge[AT] = rewrite_words(
                words, tokens, queue, entry, left, right, new, changes, limits, merge[AT]
            )
            if merge[AT] < queue.stops[entry]:
                return written, EVENTS
            if pairs.used[0] + changes.used[0] + changes.used[1] > pairs.keys.size:
                return written, PAIRS
            pair = queue.pairs[entry]
            queue.pairs[entry] = -1
            apply_changes(pairs, left, right, new, changes)
            if limits.order == FIRST_MET:
                pairs.counts[pair] = 0
            merge[STAGE] = ENQUEUE
        full = _full_of_queue(pairs, queue, changes, new, limits.order)
        if full != NOTHING:
            return written, full
        queue_new_pairs(words, tokens, pairs, queue, new, changes, limits.order)
        clear_changes(changes)
        merge[STAGE] = CHOOSE


@kernel(_nrt=False)
def _full_of_queue(pairs: Pairs, queue: Queue, changes: Changes, new: int, order: int) -> int:
    """What in the queue has no room for the new pairs, after old words were dropped."""
    more_words = changes.used[2]
    if order == FIRST_MET:
        more_words += num_united_words(pairs, queue, new, changes)
    if queue.used[2] + more_words > queue.words.size:
        drop_words(pairs, queue)
    if queue.used[2] + more_words > queue.words.size:
        return ENTRY_WORDS
    if queue.used[1] + changes.used[0] + changes.used[1] > queue.pairs.size:
        return ENTRIES
    return NOTHING
