"""What byte pair encoding keeps between two merges, in arrays, and how these get more room.

S symbols, W words, T tokens, P pairs met, E entries of the queue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
    "longer",
    "new_changes",
    "new_pairs",
    "new_queue",
]

SMALLEST_IDS, FIRST_MET = 0, 1  # which of several pairs with the same count is merged

FEWEST = 1024  # elements of an array that grows


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
