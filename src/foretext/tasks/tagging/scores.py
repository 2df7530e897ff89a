"""The scores of tags for the tokens of sentences, decoded to tags and probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from foretext.heads.tagging import TaggingHead

__all__ = ["SentenceScores"]

AT_ONCE = 1 << 14  # positions that are decoded together


class SentenceScores:
    """Scores of whole sentences, however many rows they were read in.

    Args:
        head: whose scores they are.
        rows: (T, C) of each sentence.
    """

    def __init__(self, head: TaggingHead, rows: Sequence[NDArray[np.float32]]) -> None:
        self.head = head
        self.rows = rows

    def tags(self) -> list[list[str]]:
        """Return the best tags of each sentence, as the user's files write them."""
        return [self.head.tags.written(tags) for tags in self.plain_tags()]

    def plain_tags(self) -> list[list[str]]:
        """Return the best tags of each sentence, such as "B-PER", in the user's scheme."""
        return [self.head.tags.tags(indices) for indices in self.indices()]

    def indices(self) -> list[list[int]]:
        """Return the best tags of each sentence as indices."""
        return [indices for block in self._blocks() for indices in self.head.decode(*block)]

    def probabilities(self, temperature: float = 1.0) -> list[NDArray[np.float64]]:
        """Return each tag's probability at each token, (T, C) of each sentence."""
        found: list[NDArray[np.float64]] = []
        for block, mask in self._blocks():
            rows = self.head.probabilities(block / temperature, mask)
            found += [row[real].double().numpy() for row, real in zip(rows, mask, strict=True)]
        return found

    def confidences(self) -> NDArray[np.float64]:
        """Return the probability of the best tags of each sentence, (N,), per token.

        It is the geometric mean over the tokens, so that long sentences are not the least sure ones
        (Shen et al. 2018, Deep Active Learning for Named Entity Recognition, 4.1).
        """
        found = [np.zeros(0)]
        for block, mask in self._blocks():
            logs = self.head.best_log_probabilities(block, mask).double()
            found.append(torch.exp(logs / mask.sum(1).clamp(min=1)).numpy())
        return np.concatenate(found).clip(0.0, 1.0)

    def _blocks(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield (B, T, C) of several sentences and (B, T), which of them are tokens."""
        for start, stop in self._parts():
            rows = [torch.from_numpy(row) for row in self.rows[start:stop]]
            lengths = torch.tensor([len(row) for row in rows])
            block = pad_sequence(rows, batch_first=True)
            yield block, torch.arange(block.shape[1]) < lengths[:, None]

    def _parts(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of sentences that have few enough positions, padding included."""
        start = width = 0
        for stop, row in enumerate(self.rows):
            width = max(width, len(row))
            if stop > start and width * (stop + 1 - start) > AT_ONCE:
                yield start, stop
                start, width = stop, len(row)
        if self.rows:
            yield start, len(self.rows)
