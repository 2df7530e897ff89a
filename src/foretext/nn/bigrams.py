"""Pairs of neighbouring words: a vector of a word with the one that follows it.

Over Chinese characters they say more than characters alone (Chen et al. 2015, "Long Short-Term
Memory Neural Networks for Chinese Word Segmentation", 3.3; Zhang & Yang 2018, "Chinese NER Using
Lattice LSTM", 3.1). Pairs are hashed to rows of a table, as fastText's word bigrams are, so that a
model keeps no list of them.
"""

from __future__ import annotations

from torch import Tensor, nn

__all__ = ["Bigrams"]

FACTOR = 116049371  # of fastText's hash of word n-grams
SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)  # 2**64 divided by the golden ratio, as a signed number


class Bigrams(nn.Module):
    """A vector for each pair of a word and the next one; some pairs share theirs.

    Args:
        num_rows: of the table.
        dim: E, numbers of a vector.
    """

    def __init__(self, num_rows: int, dim: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(num_rows, dim)
        bound = (3 / dim) ** 0.5  # as those of words
        nn.init.uniform_(self.vectors.weight, -bound, bound)

    def forward(self, ids: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return the vector of each pair, (B, T, E).

        Args:
            ids: (B, T) int64, of words.
            token_mask: (B, T) bool, True = a real word; None: all are.
        """
        known = ids + 1  # 0: no word, behind the last one of a row
        if token_mask is not None:
            known = known * token_mask
        following = nn.functional.pad(known[:, 1:], (0, 1))
        mixed = known * FACTOR + following
        for _ in range(2):  # one product leaves the lines of pairs on lines of rows
            mixed = mixed * SPREAD
            mixed = mixed ^ (mixed >> 32)
        found: Tensor = self.vectors(mixed % self.vectors.num_embeddings)
        return found
