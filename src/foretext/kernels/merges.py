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
from foretext.kernels.merge_queue import (
    FIRST_MET,
    SMALLEST_IDS,
    Changes,
    LearnedTokens,
    Limits,
    MergeLearner,
    Pairs,
    Queue,
    Words,
    add_old_words,
    add_pair,
    drop_words,
    find_pair,
    hash_of,
    key_of,
    longer,
    neighbor_key,
    new_changes,
    new_entry,
    new_pairs,
    new_queue,
    num_old_words,
    place_pairs,
    pop,
    push,
)

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
        _place_token(tokens, token)
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
            new = _joined_token(tokens, left, right, limits.prefix)
            if new < 0:
                return written, TOKENS
            merges[written, 0], merges[written, 1], merges[written, 2] = left, right, new
            written += 1
            merge[NEW], merge[AT] = new, queue.firsts[entry]
            merge[STAGE] = REWRITE
        new = merge[NEW]
        if merge[STAGE] == REWRITE:
            merge[AT] = _rewrite_words(
                words, tokens, queue, entry, left, right, new, changes, limits, merge[AT]
            )
            if merge[AT] < queue.stops[entry]:
                return written, EVENTS
            if pairs.used[0] + changes.used[0] + changes.used[1] > pairs.keys.size:
                return written, PAIRS
            pair = queue.pairs[entry]
            queue.pairs[entry] = -1
            _apply_changes(pairs, left, right, new, changes)
            if limits.order == FIRST_MET:
                pairs.counts[pair] = 0
            merge[STAGE] = ENQUEUE
        full = _full_of_queue(pairs, queue, changes, new, limits.order)
        if full != NOTHING:
            return written, full
        _queue_new_pairs(words, tokens, pairs, queue, new, changes, limits.order)
        _clear_changes(changes)
        merge[STAGE] = CHOOSE


@kernel(_nrt=False)
def _full_of_queue(pairs: Pairs, queue: Queue, changes: Changes, new: int, order: int) -> int:
    """What in the queue has no room for the new pairs, after old words were dropped."""
    more_words = changes.used[2]
    if order == FIRST_MET:
        more_words += _num_united_words(pairs, queue, new, changes)
    if queue.used[2] + more_words > queue.words.size:
        drop_words(pairs, queue)
    if queue.used[2] + more_words > queue.words.size:
        return ENTRY_WORDS
    if queue.used[1] + changes.used[0] + changes.used[1] > queue.pairs.size:
        return ENTRIES
    return NOTHING


@kernel(_nrt=False)
def _rewrite_words(
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


@kernel(_nrt=False)
def _apply_changes(pairs: Pairs, left: int, right: int, new: int, changes: Changes) -> None:
    """Bring the counts of all pairs up to date; what is new first, for it can be lost again."""
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            gained = changes.gained[side, neighbor]
            if gained > 0:
                pairs.counts[add_pair(pairs, neighbor_key(side, neighbor, new, new))] += gained
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            pair = find_pair(pairs, neighbor_key(side, neighbor, left, right))
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
                pair = find_pair(pairs, neighbor_key(side, neighbor, new, new))
                if pairs.counts[pair] > 0:
                    old = num_old_words(pairs, queue, pair) if order == FIRST_MET else 0
                    first = new_entry(queue, pair, old + changes.num_words[side, neighbor])
                    changes.places[side, neighbor] = first + old
    for event in range(changes.used[2]):
        side, neighbor = changes.sides[event], changes.neighbors[event]
        place = changes.places[side, neighbor]
        if place >= 0:
            queue.words[place] = changes.words[event]
            changes.places[side, neighbor] = place + 1
    for entry in range(first_entry, queue.used[1]):
        if order == FIRST_MET and num_old_words(pairs, queue, queue.pairs[entry]) > 0:
            add_old_words(queue, pairs.newest[queue.pairs[entry]], entry)
        push(words, tokens, pairs, queue, entry, order)


@kernel(_nrt=False)
def _num_united_words(pairs: Pairs, queue: Queue, new: int, changes: Changes) -> int:
    """Words of older entries that `_queue_new_pairs` will add to those of new ones."""
    total = 0
    for side in range(2):
        for index in range(changes.used[side]):
            pair = find_pair(pairs, neighbor_key(side, changes.touched[side, index], new, new))
            if pair >= 0:
                total += num_old_words(pairs, queue, pair)
    return total


@kernel(_nrt=False)
def _clear_changes(changes: Changes) -> None:
    """Forget what was noted, in time for what was touched."""
    for side in range(2):
        for index in range(changes.used[side]):
            neighbor = changes.touched[side, index]
            changes.lost[side, neighbor] = changes.gained[side, neighbor] = 0
            changes.num_words[side, neighbor] = 0
            changes.last_word[side, neighbor] = -1
    for place in range(3):
        changes.used[place] = 0


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
def _joined_token(tokens: LearnedTokens, left: int, right: int, prefix: np.ndarray) -> int:
    """Token `left` + `right`, without the prefix of `right`; it may exist already.

    -1: its characters have no room.
    """
    points, offsets = tokens.points, tokens.offsets
    first, stop = offsets[right], offsets[right + 1]
    size = prefix.size
    if stop - first >= size and _are_equal(points, first, prefix, 0, size):
        first += size
    token = tokens.used[0]
    at = offsets[token]
    if at + offsets[left + 1] - offsets[left] + stop - first > points.size:
        return -1
    for place in range(offsets[left], offsets[left + 1]):
        points[at] = points[place]
        at += 1
    for place in range(first, stop):
        points[at] = points[place]
        at += 1
    offsets[token + 1] = at
    tokens.lengths[token] = tokens.lengths[left] + tokens.lengths[right]
    known = _place_token(tokens, token)
    if known == token:
        tokens.used[0] += 1
    return known


@kernel(_nrt=False)
def _place_token(tokens: LearnedTokens, token: int) -> int:
    """Token with the same characters, `token` itself where it is new; then it is entered."""
    points, offsets = tokens.points, tokens.offsets
    first, stop = offsets[token], offsets[token + 1]
    mixed = np.uint64(stop - first)
    for at in range(first, stop):
        mixed = hash_of(np.int64(mixed ^ np.uint64(points[at])))
    mask = tokens.slots.size - 1
    slot = np.int64(mixed >> np.uint64(33)) & mask
    while tokens.slots[slot] != 0:
        known = tokens.slots[slot] - 1
        start, length = offsets[known], offsets[known + 1] - offsets[known]
        if length == stop - first and _are_equal(points, start, points, first, length):
            return known  # type: ignore[no-any-return]
        slot = (slot + 1) & mask
    tokens.slots[slot] = token + 1
    return token


@kernel(_nrt=False)
def _are_equal(some: np.ndarray, start: int, others: np.ndarray, first: int, length: int) -> bool:
    for place in range(length):  # noqa: SIM110 - numba compiles no generator
        if some[start + place] != others[first + place]:
            return False
    return True
