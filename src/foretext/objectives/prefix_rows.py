"""Rows of a prefix language model: a text in two parts, the second of which is predicted.

Raffel et al. 2020, "T5", section 3.2. The place of the cut is drawn for each batch, not for each
row, so that no part is padded.
"""

from __future__ import annotations

import numpy as np
import torch

from foretext.data.batch import Batch, Inputs
from foretext.data.examples_by_row import ExamplesByRow
from foretext.data.padded_examples import WIDTHS
from foretext.data.row_draws import RowDraws
from foretext.data.token_stream import TokenStream
from foretext.objectives.source_rows import source_batch

__all__ = ["PrefixRows"]


class PrefixRows(ExamplesByRow):
    """Rows cut end to end from a text, with the end token between documents.

    Args:
        stream: of the text; its separator ends sources.
        length: positions that are read, those of both parts together.
        start: id that a decoder begins with, where an encoder reads the first part; None: one
            network reads both. Then some batches have no first part, and every token is predicted.
    """

    def __init__(self, stream: TokenStream, length: int, start: int | None) -> None:
        self.stream, self.start = stream, start
        self.width = min(length, len(stream) - 1)

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.width, rng, ahead=1))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows, and draw where they are cut."""
        text = self.stream.take(keys[:, None] + np.arange(self.width + 1))
        cut = self._cut(draws.generator)  # one for the whole batch
        if self.start is None:
            return _in_one_row(torch.from_numpy(text), cut)
        end = self.stream.separator
        source = np.pad(text[:, :cut], ((0, 0), (0, 1)), constant_values=end)
        target = text[:, cut:].copy()
        return source_batch(source, target, np.ones(target.shape, np.bool_), self.start)

    def _cut(self, rng: np.random.Generator) -> int:
        """Draw the tokens of the first part; few numbers, as each new shape costs memory."""
        step = WIDTHS if self.width > 2 * WIDTHS else 1
        first = 0 if self.start is None else 1
        return int(rng.integers(first, max(-(-self.width // step), 2))) * step


def _in_one_row(text: torch.Tensor, cut: int) -> Batch:
    """Return rows whose first part looks at itself as a whole, and what follows to the left."""
    ids = text[:, :-1].contiguous()  # (B, T)
    B, T = ids.shape
    hidden = (torch.arange(T) >= cut - 1).expand(B, T)  # the last token of the first part, too
    targets = {"next": text[:, 1:].contiguous(), "hidden": hidden}
    if not cut:
        return Batch(Inputs(ids, visibility="causal"), targets)
    visible = torch.ones(T, T, dtype=torch.bool).tril()
    visible[:, :cut] = True
    inputs = Inputs(ids, visibility="matrix", visible=visible.expand(B, T, T))
    return Batch(inputs, targets)
