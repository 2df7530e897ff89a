"""Byte pair encoding: which pairs of neighbouring symbols to merge, most frequent first.

Words are symbols end to end. A pair knows its count and, by way of its entries in the queue, the
words in which it stands; a merge visits these words alone. Counts in the queue may be out of date:
they are put right when they come to the top, which is enough because counts only fall. (Sennrich
et al. 2016, section 3.2, with the lazy queue of the `tokenizers` library.)

S symbols, W words, T tokens, P pairs met, E entries of the queue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foretext.kernels.compile import kernel

__all__ = ["LearnedTokens", "Limits", "MergeLearner", "Words", "merge_next", "start_learner"]

SMALLEST_IDS, FIRST_MET = 0, 1  # which of several pairs with the same count is merged

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_NO_WORD = np.int32(0x7FFFFFFF)


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
    """All that is kept between two merges."""

    words: Words
    tokens: LearnedTokens
    pairs: Pairs
    queue: Queue
    changes: Changes


class Limits(NamedTuple):
    """When to stop, and what not to merge."""

    vocab_size: int
    min_count: int
    max_length: int  # of a token, in symbols of the alphabet
    prefix: np.ndarray  # (X,) int32, the mark of what continues a word, dropped inside a token
    order: int  # SMALLEST_IDS | FIRST_MET


@kernel()
def start_learner(words: Words, tokens: LearnedTokens, order: int) -> MergeLearner:
    """Count all pairs and queue them."""
    for token in range(tokens.used[0]):
        _place_token(tokens, token)
    pairs = _new_pairs(1 << 12)
    num_words = np.zeros(pairs.keys.size, np.int32)
    last_word = np.full(pairs.keys.size, -1, np.int32)
    for word in range(words.starts.size):
        for at in range(words.starts[word], _last_symbol(words, word)):
            if pairs.used[0] == pairs.keys.size:
                pairs = _with_room_for_pairs(pairs, 1)
                num_words = _longer(num_words, pairs.keys.size, 0)
                last_word = _longer(last_word, pairs.keys.size, -1)
            pair = _add_pair(pairs, _key(words.symbols[at], words.symbols[at + 1]))
            pairs.counts[pair] += words.counts[word]
            if last_word[pair] != word:
                last_word[pair] = word
                num_words[pair] += 1
    queue = _queue_all(words, tokens, pairs, num_words, last_word, order)
    return MergeLearner(words, tokens, pairs, queue, _new_changes(tokens.lengths.size))


@kernel()
def merge_next(
    learner: MergeLearner, limits: Limits, merges: np.ndarray
) -> tuple[MergeLearner, int]:
    """Merge pair after pair until `merges` (M, 3) is full: left, right and new token.

    Returns the learner and the number of rows written; fewer than M when nothing is left to do.
    """
    words, tokens, pairs, queue, changes = learner
    num_merges = 0
    while num_merges < merges.shape[0] and tokens.used[0] < limits.vocab_size:
        entry = _pop(words, tokens, pairs, queue, limits)
        if entry < 0:
            break
        pair = queue.pairs[entry]
        left, right = pairs.keys[pair] >> 32, pairs.keys[pair] & 0xFFFFFFFF
        tokens, new = _join(tokens, left, right, limits.prefix)
        merges[num_merges] = left, right, new
        num_merges += 1
        at = queue.firsts[entry]
        while at < queue.stops[entry]:
            changes = _with_room_for_events(changes, words.longest)
            at = _merge_words(words, tokens, queue, entry, left, right, new, changes, limits, at)
        queue.pairs[entry] = -1
        pairs = _with_room_for_pairs(pairs, changes.used[0] + changes.used[1])
        _apply_changes(pairs, left, right, new, changes)
        if limits.order == FIRST_MET:
            pairs.counts[pair] = 0
        queue = _with_room_for_entries(pairs, queue, changes, new, limits.order)
        _queue_new_pairs(words, tokens, pairs, queue, new, changes, limits.order)
        _clear(changes)
    return MergeLearner(words, tokens, pairs, queue, changes), num_merges


# ----------------------------------------------------------------------------------------- a merge


@kernel(_nrt=False)
def _merge_words(
    words: Words,
    tokens: LearnedTokens,
    queue: Queue,
    entry: int,
    left: int,
    right: int,
    new: int,
    changes: Changes,
    limits: Limits,
    start: int,
) -> int:
    """Put `new` where the pair stands in the words of `entry`, and note what this changes.

    Returns the place in `queue.words` it stopped at: the last one of the entry, or the one to go on
    from once there is room for more changes.
    """
    room = limits.max_length - tokens.lengths[new]
    for index in range(start, queue.stops[entry]):
        if changes.used[2] + words.longest > changes.words.size:
            return index
        word = queue.words[index]
        count = words.counts[word]
        read = write = words.starts[word]
        before = np.int64(words.end)
        while words.symbols[read] != words.end:
            symbol = np.int64(words.symbols[read])
            read += 1
            if symbol == left and words.symbols[read] == right:
                symbol = np.int64(new)
                read += 1
                after = np.int64(words.symbols[read])
                if before != words.end:
                    fits = tokens.lengths[before] <= room
                    _note(changes, 0, before, count, word, 0 if fits else -1)
                if after != words.end:
                    side = 0 if after == new else 1  # (new, new) is known by its left neighbour
                    fits = tokens.lengths[after] <= room
                    _note(changes, 1, after, count, word, side if fits else -1)
            words.symbols[write] = before = symbol
            write += 1
        words.symbols[write] = words.end
    return queue.stops[entry]  # type: ignore[no-any-return]


@kernel(_nrt=False, forceinline=True)
def _note(
    changes: Changes, side: int, neighbor: np.int64, count: int, word: int, new_side: int
) -> None:
    """Note that a pair with `neighbor` is lost, and on `new_side` one gained (-1: it is not)."""
    _touch(changes, side, neighbor)
    changes.lost[side, neighbor] += count
    if new_side < 0:
        return
    _touch(changes, new_side, neighbor)
    changes.gained[new_side, neighbor] += count
    if changes.last_word[new_side, neighbor] != word:
        changes.last_word[new_side, neighbor] = word
        changes.num_words[new_side, neighbor] += 1
        event = changes.used[2]
        changes.sides[event] = new_side
        changes.neighbors[event] = neighbor
        changes.words[event] = word
        changes.used[2] += 1


@kernel(_nrt=False, forceinline=True)
def _touch(changes: Changes, side: int, neighbor: np.int64) -> None:
    if changes.lost[side, neighbor] == 0 and changes.gained[side, neighbor] == 0:
        changes.touched[side, changes.used[side]] = neighbor
        changes.used[side] += 1


@kernel(_nrt=False)
def _apply_changes(pairs: Pairs, left: int, right: int, new: int, changes: Changes) -> None:
    """Bring the counts of all pairs up to date; what is new first, for it can be lost again."""
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            gained = changes.gained[side, neighbor]
            if gained > 0:
                pairs.counts[_add_pair(pairs, _neighbor_key(side, neighbor, new, new))] += gained
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            pair = _find_pair(pairs, _neighbor_key(side, neighbor, left, right))
            if pair >= 0:  # pairs too long to be merged are not counted
                pairs.counts[pair] -= changes.lost[side, neighbor]


@kernel(_nrt=False)
def _queue_new_pairs(
    words: Words,
    tokens: LearnedTokens,
    pairs: Pairs,
    queue: Queue,
    new: int,
    changes: Changes,
    order: int,
) -> None:
    """Make an entry of each new pair and the words it is in."""
    first_entry = queue.used[1]
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            changes.places[side, neighbor] = -1
            if changes.gained[side, neighbor] > 0:
                pair = _find_pair(pairs, _neighbor_key(side, neighbor, new, new))
                if pairs.counts[pair] > 0:
                    old = _num_old_words(pairs, queue, pair) if order == FIRST_MET else 0
                    first = _new_entry(queue, pair, old + changes.num_words[side, neighbor])
                    changes.places[side, neighbor] = first + old
    for event in range(changes.used[2]):
        side, neighbor = changes.sides[event], changes.neighbors[event]
        place = changes.places[side, neighbor]
        if place >= 0:
            queue.words[place] = changes.words[event]
            changes.places[side, neighbor] = place + 1
    for entry in range(first_entry, queue.used[1]):
        if order == FIRST_MET and _num_old_words(pairs, queue, queue.pairs[entry]) > 0:
            _add_old_words(queue, pairs.newest[queue.pairs[entry]], entry)
        _push(words, tokens, pairs, queue, entry, order)


@kernel(_nrt=False)
def _num_old_words(pairs: Pairs, queue: Queue, pair: int) -> int:
    """Words of a pair that came about earlier too, by another merge that gave the same token."""
    old = pairs.newest[pair]
    if old < 0 or queue.pairs[old] < 0:
        return 0
    return queue.stops[old] - queue.firsts[old]  # type: ignore[no-any-return]


@kernel(_nrt=False)
def _add_old_words(queue: Queue, old: int, entry: int) -> None:
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
def _clear(changes: Changes) -> None:
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            changes.lost[side, neighbor] = changes.gained[side, neighbor] = 0
            changes.num_words[side, neighbor] = 0
            changes.last_word[side, neighbor] = -1
    changes.used[:] = 0


@kernel()
def _new_changes(num_tokens: int) -> Changes:
    return Changes(
        np.zeros((2, num_tokens), np.int64),
        np.zeros((2, num_tokens), np.int64),
        np.zeros((2, num_tokens), np.int32),
        np.full((2, num_tokens), -1, np.int32),
        np.zeros((2, num_tokens), np.int64),
        np.zeros((2, num_tokens), np.int32),
        np.zeros(3, np.int64),
        np.zeros(1024, np.uint8),
        np.zeros(1024, np.int32),
        np.zeros(1024, np.int32),
    )


@kernel()
def _with_room_for_events(changes: Changes, num_events: int) -> Changes:
    if changes.used[2] + num_events <= changes.words.size:
        return changes
    size = changes.used[2] + num_events
    return Changes(
        changes.lost,
        changes.gained,
        changes.num_words,
        changes.last_word,
        changes.places,
        changes.touched,
        changes.used,
        _longer(changes.sides, 2 * size, 0),
        _longer(changes.neighbors, 2 * size, 0),
        _longer(changes.words, 2 * size, 0),
    )


# --------------------------------------------------------------------------------------- the queue


@kernel()
def _queue_all(
    words: Words,
    tokens: LearnedTokens,
    pairs: Pairs,
    num_words: np.ndarray,
    last_word: np.ndarray,
    order: int,
) -> Queue:
    """Make an entry of each pair; `num_words` (P,) it stands in, `last_word` (P,) is scratch."""
    num_pairs = pairs.used[0]
    total = num_words[:num_pairs].sum()
    queue = _new_queue(max(2 * num_pairs, 1024), total + total // 4 + 1024)
    for pair in range(num_pairs):
        queue.stops[pair] = _new_entry(queue, pair, num_words[pair])
    last_word[:] = -1
    for word in range(words.starts.size):
        for at in range(words.starts[word], _last_symbol(words, word)):
            pair = _find_pair(pairs, _key(words.symbols[at], words.symbols[at + 1]))
            if last_word[pair] != word:
                last_word[pair] = word
                queue.words[queue.stops[pair]] = word
                queue.stops[pair] += 1
    for entry in range(num_pairs):
        _push(words, tokens, pairs, queue, entry, order)
    return queue


@kernel(_nrt=False)
def _new_entry(queue: Queue, pair: int, num_words: int) -> int:
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
def _push(
    words: Words, tokens: LearnedTokens, pairs: Pairs, queue: Queue, entry: int, order: int
) -> None:
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
def _pop(words: Words, tokens: LearnedTokens, pairs: Pairs, queue: Queue, limits: Limits) -> int:
    """Take the entry to be merged next from the queue; -1: there is none."""
    while queue.used[0] > 0:
        entry = queue.entries[0]
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
            return entry  # type: ignore[no-any-return]
        queue.counts[0], queue.ties[0] = count, tie
        _sift_down(queue)
    return -1


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


@kernel()
def _new_queue(num_entries: int, num_words: int) -> Queue:
    return Queue(
        np.zeros(num_entries, np.int64),
        np.zeros(num_entries, np.int64),
        np.zeros(num_entries, np.int32),
        np.zeros(num_entries, np.int32),
        np.zeros(num_entries, np.int64),
        np.zeros(num_entries, np.int64),
        np.zeros(num_words, np.int32),
        np.zeros(3, np.int64),
    )


@kernel()
def _with_room_for_entries(
    pairs: Pairs, queue: Queue, changes: Changes, new: int, order: int
) -> Queue:
    num_entries = queue.used[1] + changes.used[0] + changes.used[1]
    more_words = changes.used[2]
    if order == FIRST_MET:
        more_words += _num_united_words(pairs, queue, new, changes)
    if queue.used[2] + more_words > queue.words.size:
        _drop_words(pairs, queue)
    num_words = queue.used[2] + more_words
    if num_entries <= queue.pairs.size and num_words <= queue.words.size:
        return queue
    if num_entries > queue.pairs.size:
        num_entries += num_entries // 2
    if num_words > queue.words.size:
        num_words += num_words // 2
    return Queue(
        _longer(queue.counts, num_entries, 0),
        _longer(queue.ties, num_entries, 0),
        _longer(queue.entries, num_entries, 0),
        _longer(queue.pairs, num_entries, 0),
        _longer(queue.firsts, num_entries, 0),
        _longer(queue.stops, num_entries, 0),
        _longer(queue.words, num_words, 0),
        queue.used,
    )


@kernel(_nrt=False)
def _num_united_words(pairs: Pairs, queue: Queue, new: int, changes: Changes) -> int:
    total = 0
    for side in range(2):
        for index in range(changes.used[side]):
            pair = _find_pair(pairs, _neighbor_key(side, changes.touched[side, index], new, new))
            if pair >= 0:
                total += _num_old_words(pairs, queue, pair)
    return total


@kernel(_nrt=False)
def _drop_words(pairs: Pairs, queue: Queue) -> None:
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


# --------------------------------------------------------------------------------------- the pairs


@kernel(_nrt=False, forceinline=True)
def _last_symbol(words: Words, word: int) -> np.int64:
    """Where the last symbol of a word stands; where it starts when it has none."""
    at = words.starts[word]
    if words.symbols[at] == words.end:
        return at  # type: ignore[no-any-return]
    while words.symbols[at + 1] != words.end:
        at += 1
    return at  # type: ignore[no-any-return]


@kernel(_nrt=False, forceinline=True)
def _key(left: int, right: int) -> int:
    return int(np.int64(left) << 32 | np.int64(right))


@kernel(_nrt=False, forceinline=True)
def _neighbor_key(side: int, neighbor: int, left: int, right: int) -> int:
    """Key of the pair of `left` and the neighbour before it, or of `right` and the one after."""
    return _key(neighbor, left) if side == 0 else _key(right, neighbor)


@kernel(_nrt=False, forceinline=True)
def _hash(key: int | np.int64) -> np.uint64:
    mixed = np.uint64(key) * _MULTIPLIER
    mixed = (mixed ^ (mixed >> _HALF)) * _MULTIPLIER
    return mixed ^ (mixed >> _HALF)


@kernel(_nrt=False, forceinline=True)
def _pair_slot(pairs: Pairs, key: int) -> np.uint64:
    """Slot of a pair, or the empty one where it belongs."""
    mixed = _hash(key)
    mask = np.uint64(pairs.slots.size - 1)
    slot = mixed & mask
    while pairs.slots[slot] != 0:
        pair = np.int64(pairs.slots[slot] & _LOW) - 1
        if (pairs.slots[slot] ^ mixed) >> _HALF == 0 and pairs.keys[pair] == key:
            break
        slot = (slot + _ONE) & mask
    return slot


@kernel(_nrt=False)
def _find_pair(pairs: Pairs, key: int) -> int:
    """Index of a pair, -1 where it was never met."""
    return int(np.int64(pairs.slots[_pair_slot(pairs, key)] & _LOW)) - 1


@kernel(_nrt=False)
def _add_pair(pairs: Pairs, key: int) -> int:
    """Index of a pair, new or old; there must be room."""
    slot = _pair_slot(pairs, key)
    if pairs.slots[slot] == 0:
        pair = pairs.used[0]
        pairs.slots[slot] = (_hash(key) & ~_LOW) | np.uint64(pair + 1)
        pairs.keys[pair] = key
        pairs.counts[pair] = 0
        pairs.newest[pair] = -1
        pairs.used[0] += 1
    return int(np.int64(pairs.slots[slot] & _LOW)) - 1


@kernel()
def _new_pairs(num_pairs: int) -> Pairs:
    return Pairs(
        np.zeros(2 * num_pairs, np.uint64),
        np.zeros(num_pairs, np.int64),
        np.zeros(num_pairs, np.int64),
        np.zeros(num_pairs, np.int32),
        np.zeros(1, np.int64),
    )


@kernel()
def _with_room_for_pairs(pairs: Pairs, num_pairs: int) -> Pairs:
    """The same pairs with room for more, half of the slots empty."""
    if pairs.used[0] + num_pairs <= pairs.keys.size:
        return pairs
    size = pairs.keys.size
    while size < pairs.used[0] + num_pairs:
        size *= 2
    larger = Pairs(
        np.zeros(2 * size, np.uint64),
        _longer(pairs.keys, size, 0),
        _longer(pairs.counts, size, 0),
        _longer(pairs.newest, size, 0),
        pairs.used,
    )
    for pair in range(pairs.used[0]):
        mixed = _hash(pairs.keys[pair])
        slot = mixed & np.uint64(2 * size - 1)
        while larger.slots[slot] != 0:
            slot = (slot + _ONE) & np.uint64(2 * size - 1)
        larger.slots[slot] = (mixed & ~_LOW) | np.uint64(pair + 1)
    return larger


# -------------------------------------------------------------------------------------- the tokens


@kernel()
def _join(
    tokens: LearnedTokens, left: int, right: int, prefix: np.ndarray
) -> tuple[LearnedTokens, int]:
    """Token `left` + `right`, without the prefix of `right`; it may exist already."""
    first, stop = tokens.offsets[right], tokens.offsets[right + 1]
    if _are_equal(tokens.points[first : min(first + prefix.size, stop)], prefix):
        first += prefix.size
    token = tokens.used[0]
    start = tokens.offsets[token]
    middle = start + tokens.offsets[left + 1] - tokens.offsets[left]
    end = middle + stop - first
    if end > tokens.points.size:
        tokens = LearnedTokens(
            _longer(tokens.points, 2 * end, 0),
            tokens.offsets,
            tokens.lengths,
            tokens.slots,
            tokens.used,
        )
    tokens.points[start:middle] = tokens.points[tokens.offsets[left] : tokens.offsets[left + 1]]
    tokens.points[middle:end] = tokens.points[first:stop]
    tokens.offsets[token + 1] = end
    tokens.lengths[token] = tokens.lengths[left] + tokens.lengths[right]
    known = _place_token(tokens, token)
    if known == token:
        tokens.used[0] += 1
    return tokens, known


@kernel(_nrt=False)
def _place_token(tokens: LearnedTokens, token: int) -> int:
    """Token with the same characters, `token` itself where it is new; then it is entered."""
    first, stop = tokens.offsets[token], tokens.offsets[token + 1]
    mixed = np.uint64(stop - first)
    for at in range(first, stop):
        mixed = _hash(np.int64(mixed ^ np.uint64(tokens.points[at])))
    mask = tokens.slots.size - 1
    slot = np.int64(mixed >> np.uint64(33)) & mask
    while tokens.slots[slot] != 0:
        known = tokens.slots[slot] - 1
        start = tokens.offsets[known]
        end = tokens.offsets[known + 1]
        if _are_equal(tokens.points[start:end], tokens.points[first:stop]):
            return known  # type: ignore[no-any-return]
        slot = (slot + 1) & mask
    tokens.slots[slot] = token + 1
    return token


@kernel(_nrt=False)
def _are_equal(some: np.ndarray, others: np.ndarray) -> bool:
    if some.size != others.size:
        return False
    for at in range(some.size):  # noqa: SIM110 - numba compiles no generator
        if some[at] != others[at]:
            return False
    return True


@kernel()
def _longer(array: np.ndarray, size: int, value: int) -> np.ndarray:
    """A copy of `array` with `size` elements, those added equal to `value`."""
    if size <= array.size:
        return array
    longer = np.full(size, value, array.dtype)
    longer[: array.size] = array
    return longer
