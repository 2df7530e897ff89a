"""A list of entities as sequences of tokens, found wherever a text has the same tokens.

Tokens are compared, not characters: whatever the tokenizer makes equal, such as the case of
letters, is equal here. A pass over the ids costs less than encoding them, however long the list is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from foretext.kernels.longest_match import find_longest
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["EntityTokens"]


class EntityTokens:
    """The tokens of each entity, sorted, so that a search narrows with each token.

    An entity with an unknown token is left out: it would be found in place of any other such one.

    Args:
        names: of the entities.
        tokenizer: of the text.
    """

    def __init__(self, names: Sequence[str], tokenizer: SubwordTokenizer) -> None:
        written = [*names, *(f" {name}" for name in names)]  # some tokenizers mark the blank
        block = tokenizer.encode_block("\n".join(written))  # one for each line
        ids = block.ids.tolist()
        edges = pairwise([*block.sentence_starts.tolist(), len(ids)])
        found = {tuple(ids[start:end]) for start, end in edges}
        unknown = tokenizer.special.unknown
        sequences = sorted(each for each in found if unknown not in each)
        self.starts = np.cumsum([0, *map(len, sequences)], dtype=np.int64)  # (E + 1,)
        self.tokens = np.array([token for ids in sequences for token in ids], np.uint32)
        first = np.array([ids[0] for ids in sequences], np.int64)
        self.firsts = np.searchsorted(first, np.arange(tokenizer.vocab_size + 1))  # (V + 1,)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def lengths(self, ids: np.ndarray, ends: np.ndarray, may_begin: np.ndarray) -> np.ndarray:
        """Return the tokens of the entity that begins at each place, (N,) int32; 0: none.

        The longest one is taken, from left to right.

        Args:
            ids: (N,) uint32.
            ends: (S,) int64, where each sentence ends; no entity goes beyond.
            may_begin: (N,) bool, where words begin; an entity ends before another such place.
        """
        found = np.zeros(len(ids), np.int32)
        if len(self):
            find_longest(ids, ends, may_begin, self.firsts, self.starts, self.tokens, found)
        return found
