"""Which pair is merged next: a heap whose counts may be out of date.

They are put right when they come to the top, which is enough because counts only fall. An entry
knows the words in which its pair stands, so that a merge visits these alone.

What byte pair encoding keeps between two merges, in arrays, and how these get more room. S
symbols, W words, T tokens, P pairs met, E entries of the queue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel

__all__ = [
    "FIRST_MET",
    "SMALLEST_IDS",
    "Changes",
    "LearnedTokens",
    "Limits",
    "MergeLearner",
    "Pairs",
    "Queue",
    "Words",
    "add_old_words",
    "add_pair",
    "drop_words",
    "find_pair",
    "hash_of",
    "key_of",
    "longer",
    "neighbor_key",
    "new_changes",
    "new_entry",
    "new_pairs",
    "new_queue",
    "num_old_words",
    "place_pairs",
    "pop",
    "push",
]

_NO_WORD = np.int32(0x7FFFFFFF)

SMALLEST_IDS, FIRST_MET = 0, 1  # which of several pairs with the same count is merged

FEWEST = 1024  # elements of an array that grows

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)


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


class Words(NamedTuple):
    """The words in their present symbols; a merge shortens them in place."""

    symbols: np.ndarray  # (S + W,) uint16 or int32, after each word its end mark
    starts: np.ndarray  # (W,) int64
    counts: np.ndarray  # (W,) int64
    end: int  # the end mark, no symbol's id
    longest: int  # symbols of the longest word


class LearnedTokens(NamedTuple):
    """What each token is; there is room for all that will be learned."""

    points: np.ndarray  # (L,) int32, code points of all tokens
    offsets: np.ndarray  # (T + 1,) int64
    lengths: np.ndarray  # (T,) int32, in symbols of the alphabet
    slots: np.ndarray  # (C,) int64, hash table: token + 1
    used: np.ndarray  # (1,) int64, number of tokens


class Pairs(NamedTuple):
    """All pairs met so far."""

    slots: np.ndarray  # (C,) uint64, hash table: high half of the hash | pair + 1
    keys: np.ndarray  # (P,) int64, left symbol << 32 | right symbol
    counts: np.ndarray  # (P,) int64
    newest: np.ndarray  # (P,) int32, the entry made last
    used: np.ndarray  # (1,) int64, number of pairs


class Queue(NamedTuple):
    """A heap of entries: one for a pair and the words in which one merge brought it about."""

    counts: np.ndarray  # (E,) int64, of the heap: largest first
    ties: np.ndarray  # (E,) int64, of the heap: among equal counts smallest first
    entries: np.ndarray  # (E,) int32, of the heap
    pairs: np.ndarray  # (E,) int32, of each entry, -1 once it was merged
    firsts: np.ndarray  # (E,) int64, of each entry, its words in `words`
    stops: np.ndarray  # (E,) int64
    words: np.ndarray  # (X,) int32, ascending within an entry
    used: np.ndarray  # (3,) int64, length of the heap, of the entries, of `words`


class Changes(NamedTuple):
    """What one merge changes, by neighbour: side 0 is left of the merged pair, 1 right of it."""

    lost: np.ndarray  # (2, T) int64, count of the pair with the neighbour that is no more
    gained: np.ndarray  # (2, T) int64, count of the pair with the neighbour that is new
    num_words: np.ndarray  # (2, T) int32, in which the new pair stands
    last_word: np.ndarray  # (2, T) int32
    places: np.ndarray  # (2, T) int64, where the next of these words goes
    touched: np.ndarray  # (2, T) int32, the neighbours
    used: np.ndarray  # (3,) int64, neighbours on each side, events
    sides: np.ndarray  # (X,) uint8, of each event, a new pair in a word
    neighbors: np.ndarray  # (X,) int32
    words: np.ndarray  # (X,) int32


class MergeLearner(NamedTuple):
    """All that is kept between two merges, and between two parts of one."""

    words: Words
    tokens: LearnedTokens
    pairs: Pairs
    queue: Queue
    changes: Changes
    merge: np.ndarray  # (6,) int64, how far the merge under way is; `merges` names the places


class Limits(NamedTuple):
    """When to stop, and what not to merge."""

    vocab_size: int
    min_count: int
    max_length: int  # of a token, in symbols of the alphabet
    prefix: np.ndarray  # (X,) int32, the mark of what continues a word, dropped inside a token
    order: int  # SMALLEST_IDS | FIRST_MET


def new_pairs(num_pairs: int) -> Pairs:
    """No pairs, with room for so many, a power of two."""
    return Pairs(
        np.zeros(2 * num_pairs, np.uint64),
        np.zeros(num_pairs, np.int64),
        np.zeros(num_pairs, np.int64),
        np.zeros(num_pairs, np.int32),
        np.zeros(1, np.int64),
    )


def new_queue(num_pairs: int, num_words: int) -> Queue:
    """An empty queue with room for entries of so many pairs in so many words, and for more."""
    num_entries = max(2 * num_pairs, FEWEST)
    return Queue(
        np.zeros(num_entries, np.int64),
        np.zeros(num_entries, np.int64),
        np.zeros(num_entries, np.int32),
        np.zeros(num_entries, np.int32),
        np.zeros(num_entries, np.int64),
        np.zeros(num_entries, np.int64),
        np.zeros(num_words + num_words // 4 + FEWEST, np.int32),
        np.zeros(3, np.int64),
    )


def new_changes(num_tokens: int) -> Changes:
    """No changes, of so many tokens at most."""
    return Changes(
        np.zeros((2, num_tokens), np.int64),
        np.zeros((2, num_tokens), np.int64),
        np.zeros((2, num_tokens), np.int32),
        np.full((2, num_tokens), -1, np.int32),
        np.zeros((2, num_tokens), np.int64),
        np.zeros((2, num_tokens), np.int32),
        np.zeros(3, np.int64),
        np.zeros(FEWEST, np.uint8),
        np.zeros(FEWEST, np.int32),
        np.zeros(FEWEST, np.int32),
    )


def longer(array: np.ndarray, size: int, value: int = 0) -> np.ndarray:
    """Return `array` with at least `size` elements, those added equal to `value`."""
    if size <= array.size:
        return array
    longer = np.full(size, value, array.dtype)
    longer[: array.size] = array
    return longer


@kernel(kept=True)
def place_pairs(pairs: Pairs) -> None:
    """Fill the empty slots of a table that was given more of them."""
    mask = np.uint64(pairs.slots.size - 1)
    for pair in range(pairs.used[0]):
        mixed = hash_of(pairs.keys[pair])
        slot = mixed & mask
        while pairs.slots[slot] != 0:
            slot = (slot + _ONE) & mask
        pairs.slots[slot] = (mixed & ~_LOW) | np.uint64(pair + 1)


@kernel(_nrt=False)
def find_pair(pairs: Pairs, key: int) -> int:
    """Index of a pair, -1 where it was never met."""
    return int(np.int64(pairs.slots[_pair_slot(pairs, key)] & _LOW)) - 1


@kernel(_nrt=False)
def add_pair(pairs: Pairs, key: int) -> int:
    """Index of a pair, new or old; there must be room."""
    slot = _pair_slot(pairs, key)
    if pairs.slots[slot] == 0:
        pair = pairs.used[0]
        pairs.slots[slot] = (hash_of(key) & ~_LOW) | np.uint64(pair + 1)
        pairs.keys[pair] = key
        pairs.counts[pair] = 0
        pairs.newest[pair] = -1
        pairs.used[0] += 1
    return int(np.int64(pairs.slots[slot] & _LOW)) - 1


@kernel(_nrt=False, forceinline=True)
def key_of(left: int, right: int) -> int:
    """The number that stands for a pair."""
    return int(np.int64(left) << 32 | np.int64(right))


@kernel(_nrt=False, forceinline=True)
def neighbor_key(side: int, neighbor: int, left: int, right: int) -> int:
    """Key of the pair of `left` and the neighbour before it, or of `right` and the one after."""
    return key_of(neighbor, left) if side == 0 else key_of(right, neighbor)


@kernel(_nrt=False, forceinline=True)
def hash_of(key: int | np.int64) -> np.uint64:
    """Multiply and fold, twice."""
    mixed = np.uint64(key) * _MULTIPLIER
    mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLIER
    return mixed ^ (mixed >> _HALF)


@kernel(_nrt=False, forceinline=True)
def _pair_slot(pairs: Pairs, key: int) -> np.uint64:
    """Slot of a pair, or the empty one where it belongs."""
    mixed = hash_of(key)
    mask = np.uint64(pairs.slots.size - 1)
    slot = mixed & mask
    while pairs.slots[slot] != 0:
        pair = np.int64(pairs.slots[slot] & _LOW) - 1
        if (pairs.slots[slot] ^ mixed) >> _HALF == 0 and pairs.keys[pair] == key:
            break
        slot = (slot + _ONE) & mask
    return slot
