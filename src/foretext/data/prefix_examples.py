"""Rows of a prefix and a text, of which one network reads the first and writes the second.

A decoder (GPT) sees what is left of each position. A prefix language model, and a model that fills
masks (UniLM, Dong et al. 2019, 2.3), see the whole prefix and, in the text, what is left of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.padded_examples import IGNORED, PaddedExamples, Ragged
from foretext.data.row_draws import PaddedDraws, RowDraws

__all__ = ["PrefixExamples"]

MASK_RATE = 0.7  # of the tokens of a text that are hidden at a time (Dong et al. 2019, 3.2)


class PrefixExamples(PaddedExamples):
    """Rows whose texts are predicted token by token, or from masks that hide some of them.

    Args:
        rows: ids, the prefix first.
        next_tokens: what follows each position, `IGNORED` in the prefix; of masks, what stands
            there.
        prefix_lengths: (N,) positions of each prefix.
        pad: id that fills rows up.
        sees_prefix: whether positions see the whole prefix; else all see what is left of them.
        segments: of prefix and text; None: the backbone reads none.
        mask: id that hides tokens; None: the next token is predicted.
    """

    def __init__(
        self,
        rows: Ragged,
        next_tokens: Ragged,
        prefix_lengths: NDArray[np.int64],
        *,
        pad: int,
        sees_prefix: bool,
        segments: tuple[int, int] | None = None,
        mask: int | None = None,
    ) -> None:
        visibility: Visibility = "matrix" if sees_prefix else "causal"
        super().__init__(rows, {"next": next_tokens}, pad=pad, visibility=visibility)
        self.prefix_lengths = prefix_lengths
        self.of_parts = segments
        self.mask = mask
        self.drawing = 1 if mask is None else 2

    def batch(self, keys: NDArray[np.int64], rng: np.random.Generator | None = None) -> Batch:
        """Put some examples together; `rng` draws which tokens are hidden, if any are."""
        batch = self._read(keys)
        if self.mask is None:
            return batch
        assert rng is not None, "tokens are hidden at random"
        return self._hidden(batch, RowDraws(rng, range(len(keys)), len(keys)))

    def part(self, keys: NDArray[np.int64], rows: range, rng: np.random.Generator) -> Batch:
        """Put some examples of a batch together; the others are not looked at."""
        batch = self._read(keys[rows.start : rows.stop])
        return batch if self.mask is None else self._hidden(batch, RowDraws(rng, rows, len(keys)))

    def _read(self, keys: NDArray[np.int64]) -> Batch:
        batch = super().batch(keys)
        in_prefix = self._in_prefix(keys, batch.inputs.ids.shape[1])  # (B, T)
        inputs = replace(
            batch.inputs,
            visible=_visible(in_prefix) if self.visibility == "matrix" else None,
            segments=self._of_parts(in_prefix),
        )
        return replace(batch, inputs=inputs)

    def _in_prefix(self, keys: NDArray[np.int64], width: int) -> torch.Tensor:
        """Return which positions are of the prefix, (B, T)."""
        return torch.from_numpy(np.arange(width) < self.prefix_lengths[keys, None])

    def _of_parts(self, in_prefix: torch.Tensor) -> torch.Tensor | None:
        if self.of_parts is None:
            return None
        first, second = self.of_parts
        return torch.where(in_prefix, first, second)

    def _hidden(self, batch: Batch, rows: RowDraws) -> Batch:
        """Hide tokens of the texts, one a row at least; only these are predicted."""
        right = batch.targets["next"]
        longest = int(self.rows.lengths.max())
        draws = torch.from_numpy(PaddedDraws(rows, longest).random(tuple(right.shape)))
        draws[right == IGNORED] = 2.0
        hidden = draws < MASK_RATE
        hidden.scatter_(1, draws.argmin(1, keepdim=True), True)
        assert self.mask is not None
        inputs: Inputs = replace(batch.inputs, ids=batch.inputs.ids.masked_fill(hidden, self.mask))
        return replace(batch, inputs=inputs, targets={"next": right.masked_fill(~hidden, IGNORED)})


def _visible(in_prefix: torch.Tensor) -> torch.Tensor:
    """Return which position sees which, (B, T, T): the prefix, and what is left of it."""
    T = in_prefix.shape[1]
    return in_prefix[:, None, :] | torch.ones(T, T, dtype=torch.bool).tril()
