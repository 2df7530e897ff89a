"""What one merge changes: words become shorter, pairs of neighbours are lost and gained."""

from __future__ import annotations

import numpy as np

from foretext.kernels.compile import kernel
from foretext.kernels.merge_arrays import (
    FIRST_MET,
    Changes,
    LearnedTokens,
    Limits,
    Pairs,
    Queue,
    Words,
)
from foretext.kernels.merge_pairs import add_pair, find_pair, neighbor_key
from foretext.kernels.merge_queue import add_old_words, new_entry, num_old_words, push

__all__ = ["apply_changes", "clear_changes", "num_united_words", "queue_new_pairs", "rewrite_words"]


@kernel(_nrt=False)
def rewrite_words(
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
def apply_changes(pairs: Pairs, left: int, right: int, new: int, changes: Changes) -> None:
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
def queue_new_pairs(
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
def num_united_words(pairs: Pairs, queue: Queue, new: int, changes: Changes) -> int:
    """Words of older entries that `queue_new_pairs` will add to those of new ones."""
    total = 0
    for side in range(2):
        for index in range(changes.used[side]):
            pair = find_pair(pairs, neighbor_key(side, changes.touched[side, index], new, new))
            if pair >= 0:
                total += num_old_words(pairs, queue, pair)
    return total


@kernel(_nrt=False)
def clear_changes(changes: Changes) -> None:
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
