"""Rows with labels and rows without, the latter beside a copy in which tokens are replaced.

Xie et al. 2020, "Unsupervised Data Augmentation for Consistency Training", section 3.2, replace
words that say little by TF-IDF. Here every word is as likely to be replaced as another, by a token
drawn from the texts, so that frequent ones come more often.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Batch
from foretext.data.examples import Examples
from foretext.data.padded_examples import PaddedExamples
from foretext.data.row_draws import PaddedDraws, RowDraws, whole_numbers

__all__ = ["REPLACED", "ReplacedExamples"]

REPLACED = "replaced"  # target: the ids that are read in place of the row's own, (B, T) int64
MOST_UNLABELLED = 3  # rows without a label for one with a label


class ReplacedExamples(Examples):
    """Examples with one more target, `REPLACED`.

    An epoch has every row without a label once. Rows with a label are repeated where they would be
    less than about a fourth of it.

    Args:
        examples: one row each.
        is_labelled: (N,) bool; rows with a label stay as they are.
        rate: share of the other rows' tokens that are replaced.
        kept: ids that are never replaced, nor put in place of another: special tokens.
    """

    def __init__(
        self,
        examples: PaddedExamples,
        is_labelled: NDArray[np.bool_],
        rate: float,
        kept: Collection[int],
    ) -> None:
        self.examples = examples
        self.is_labelled = is_labelled
        self.rate = rate
        self.kept = np.array(sorted(kept), np.int64)
        self._drawn_from = _without(examples.rows.values, self.kept)  # (sum T_i,)
        self._longest = int(examples.rows.lengths.max())
        num_labelled = max(int(is_labelled.sum()), 1)
        num_unlabelled = len(is_labelled) - num_labelled
        self._repeats = max(round(num_unlabelled / (MOST_UNLABELLED * num_labelled)), 1)

    def keys(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the numbers of the examples, shuffled; those with a label may be repeated."""
        every = [np.repeat(self.is_labelled.nonzero()[0], self._repeats)]
        return rng.permutation(np.concatenate([*every, (~self.is_labelled).nonzero()[0]]))

    def lengths(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the length of each row."""
        return self.examples.lengths(keys)

    def batch(self, keys: NDArray[np.int64], rng: np.random.Generator) -> Batch:
        """Put some examples together; `rng` draws which tokens are replaced, and by which."""
        return self.part(keys, range(len(keys)), rng)

    def part(self, keys: NDArray[np.int64], rows: range, rng: np.random.Generator) -> Batch:
        """Put some examples of a batch together; the others are not looked at."""
        own = keys[rows.start : rows.stop]
        batch = self.examples.batch(own)
        draws = PaddedDraws(RowDraws(rng, rows, len(keys)), self._longest)
        replaced = torch.from_numpy(self._replaced(batch.inputs.ids.numpy(), own, draws))
        return replace(batch, targets={**batch.targets, REPLACED: replaced})

    def _replaced(
        self, ids: NDArray[np.int64], keys: NDArray[np.int64], draws: PaddedDraws
    ) -> NDArray[np.int64]:
        chances, numbers = draws.random(ids.shape), draws.random(ids.shape)
        others = self._drawn_from[whole_numbers(numbers, len(self._drawn_from))]  # (B, T)
        may = ~np.isin(ids, self.kept) & ~self.is_labelled[keys, None]
        return np.where(may & (chances < self.rate), others, ids)


def _without(ids: NDArray[np.int64], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ids without those that are kept; all of them, where no other is left."""
    others = ids[~np.isin(ids, kept)]
    return others if len(others) else ids
