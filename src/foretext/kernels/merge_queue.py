"""Which pair is merged next: a heap whose counts may be out of date.

They are put right when they come to the top, which is enough because counts only fall. An entry
knows the words in which its pair stands, so that a merge visits these alone.
"""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.merge_arrays import FIRST_MET, LearnedTokens, Limits, Pairs, Queue, Words

__all__ = ["add_old_words", "drop_words", "new_entry", "num_old_words", "pop", "push"]

_NO_WORD = np.int32(0x7FFFFFFF)


@kernel(_nrt=False)
def new_entry(queue: Queue, pair: int, num_words: int) -> int:
    """Make an entry of a pair with room for its words; returns where they go."""
    entry = queue.used[1]
    first = queue.used[2]
    queue.pairs[entry] = pair
    queue.firsts[entry] = first
    queue.stops[entry] = first + num_words
    queue.used[1] += 1
    queue.used[2] += num_words
    return first  # type: ignore[no-any-return]


@kernel(_nrt=False)
def push(
    words: Words, tokens: LearnedTokens, pairs: Pairs, queue: Queue, entry: int, order: int
) -> None:
    """Put an entry in its place of the heap."""
    pair = queue.pairs[entry]
    pairs.newest[pair] = entry
    at = queue.used[0]
    queue.used[0] += 1
    count = pairs.counts[pair]
    tie = pairs.keys[pair]
    if order == FIRST_MET:
        tie = _first_met(words, tokens, queue, entry, pairs.keys[pair])
    while at > 0:
        parent = (at - 1) >> 2
        if not _precedes(count, tie, queue.counts[parent], queue.ties[parent]):
            break
        _move(queue, parent, at)
        at = parent
    queue.counts[at] = count
    queue.ties[at] = tie
    queue.entries[at] = entry


@kernel(_nrt=False)
def pop(words: Words, tokens: LearnedTokens, pairs: Pairs, queue: Queue, limits: Limits) -> int:
    """Take the entry to be merged next from the queue; -1: there is none."""
    while queue.used[0] > 0:
        entry = int(queue.entries[0])
        pair = queue.pairs[entry]
        if limits.order == FIRST_MET and pairs.newest[pair] != entry:
            _remove_top(queue)
            continue
        count, tie = pairs.counts[pair], queue.ties[0]
        if limits.order == FIRST_MET and count == queue.counts[0] and count > 0:
            tie = _first_met(words, tokens, queue, entry, pairs.keys[pair])
        if count == queue.counts[0] and tie == queue.ties[0]:
            if count < max(limits.min_count, 1):
                return -1
            _remove_top(queue)
            return entry
        queue.counts[0], queue.ties[0] = count, tie
        _sift_down(queue)
    return -1


@kernel(_nrt=False)
def num_old_words(pairs: Pairs, queue: Queue, pair: int) -> int:
    """Words of a pair that came about earlier too, by another merge that gave the same token."""
    old = pairs.newest[pair]
    if old < 0 or queue.pairs[old] < 0:
        return 0
    return queue.stops[old] - queue.firsts[old]  # type: ignore[no-any-return]


@kernel(_nrt=False)
def add_old_words(queue: Queue, old: int, entry: int) -> None:
    """Merge the words of the entry `old` into those of `entry`, which has left room before them."""
    from_old, write = queue.firsts[old], queue.firsts[entry]
    from_new = write + queue.stops[old] - from_old
    while from_old < queue.stops[old] or from_new < queue.stops[entry]:
        one = queue.words[from_old] if from_old < queue.stops[old] else _NO_WORD
        other = queue.words[from_new] if from_new < queue.stops[entry] else _NO_WORD
        queue.words[write] = min(one, other)
        write += 1
        from_old += one <= other
        from_new += other <= one
    queue.stops[entry] = write


@kernel(_nrt=False)
def drop_words(pairs: Pairs, queue: Queue) -> None:
    """Forget the words of entries that were merged and of pairs that are no more."""
    write = 0
    for entry in range(queue.used[1]):
        pair = queue.pairs[entry]
        first, stop = queue.firsts[entry], queue.stops[entry]
        queue.firsts[entry] = write
        if pair >= 0 and pairs.counts[pair] > 0:
            for read in range(first, stop):
                queue.words[write] = queue.words[read]
                write += 1
        queue.stops[entry] = write
    queue.used[2] = write


@kernel(_nrt=False)
def _remove_top(queue: Queue) -> None:
    queue.used[0] -= 1
    _move(queue, queue.used[0], 0)
    _sift_down(queue)


@kernel(_nrt=False)
def _sift_down(queue: Queue) -> None:
    """Bring what lies at the top to its place; each node has four children."""
    size = queue.used[0]
    count, tie, entry = queue.counts[0], queue.ties[0], queue.entries[0]
    at = 0
    while 4 * at + 1 < size:
        best = 4 * at + 1
        for child in range(best + 1, min(best + 4, size)):
            if _precedes(
                queue.counts[child], queue.ties[child], queue.counts[best], queue.ties[best]
            ):
                best = child
        if not _precedes(queue.counts[best], queue.ties[best], count, tie):
            break
        _move(queue, best, at)
        at = best
    queue.counts[at] = count
    queue.ties[at] = tie
    queue.entries[at] = entry


@kernel(_nrt=False, forceinline=True)
def _precedes(count: int, tie: int, other_count: int, other_tie: int) -> bool:
    return count > other_count or (count == other_count and tie < other_tie)


@kernel(_nrt=False, forceinline=True)
def _move(queue: Queue, source: int, target: int) -> None:
    queue.counts[target] = queue.counts[source]
    queue.ties[target] = queue.ties[source]
    queue.entries[target] = queue.entries[source]


@kernel(_nrt=False)
def _first_met(words: Words, tokens: LearnedTokens, queue: Queue, entry: int, key: int) -> int:
    """Where a pair is met first: word << 32 | symbol of the alphabet in it; passes by old words."""
    left, right = key >> 32, key & 0xFFFFFFFF
    while queue.firsts[entry] < queue.stops[entry]:
        word = np.int64(queue.words[queue.firsts[entry]])
        at = words.starts[word]
        place = 0
        while words.symbols[at] != words.end:
            if words.symbols[at] == left and words.symbols[at + 1] == right:
                return int(word << 32 | place)
            place += tokens.lengths[words.symbols[at]]
            at += 1
        queue.firsts[entry] += 1
    return 1 << 62
