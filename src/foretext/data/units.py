"""What a token begins, as bits of one byte: a word, or an entity of the user's list.

Phrases have no bit. They are n-grams of words that are drawn whenever a row is read, so that each
epoch sees others (`foretext.objectives.corruption`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from foretext.base.counted import counted
from foretext.tokenizers.base import EncodedBlock

__all__ = [
    "ALL_BITS",
    "ENTITY",
    "NAMED",
    "WORD",
    "Encode",
    "MarkedBlock",
    "described",
    "num_entities",
    "unit_bits",
]

WORD = 1  # the token begins a word
ENTITY = 2  # it begins an entity or, outside of entities, a word: units that cover the text
NAMED = 4  # it is part of an entity
ALL_BITS = WORD | ENTITY | NAMED


class MarkedBlock(NamedTuple):
    """An encoded text, and what each of its tokens begins."""

    block: EncodedBlock
    units: np.ndarray | None  # (N,) uint8; None: not marked


Encode = Callable[[str], MarkedBlock]


def unit_bits(words: np.ndarray, entity_lengths: np.ndarray) -> np.ndarray:
    """Return the bits of each token, (N,) uint8.

    Args:
        words: (N,) bool, the tokens that begin a word.
        entity_lengths: (N,) tokens of the entity that begins at each token; 0: none does.
    """
    begins = np.flatnonzero(entity_lengths)
    ends = begins + entity_lengths[begins]
    edges = np.zeros(len(words) + 1, np.int8)
    edges[begins] += 1
    edges[ends] -= 1
    named = np.cumsum(edges[:-1], dtype=np.int8) > 0
    units = words & ~named
    units[begins] = True
    units[ends[ends < len(words)]] = True  # what is left of a word that begins with an entity
    bits: np.ndarray = (words * WORD + units * ENTITY + named * NAMED).astype(np.uint8)
    return bits


def num_entities(units: np.ndarray) -> int:
    """Return how often an entity begins in (N,) bits."""
    both = ENTITY | NAMED
    return int(np.count_nonzero(units & both == both))


def described(units: np.ndarray) -> str:
    """Say how many words and entities there are, of (N,) bits."""
    words = counted(int(np.count_nonzero(units & WORD)), "word")
    if not (entities := num_entities(units)):
        return words
    share = np.count_nonzero(units & NAMED) / len(units)
    return f"{words} and {entities:,} entities, which have {share:.1%} of its tokens"
