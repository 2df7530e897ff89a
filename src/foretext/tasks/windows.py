"""Texts as rows that a model can read at once: one row a text, or several that overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from foretext.data.padded_examples import Ragged
from foretext.heads.base import TaskBase
from foretext.heads.long_texts import LongTexts, cut_text

__all__ = ["Windows"]


class Windows(NamedTuple):
    """The framed rows of some texts."""

    rows: Ragged  # of ids
    owners: NDArray[np.int64]  # (rows,) the text of each row, in order
    num_cut: int  # texts that do not fit into one row
    texts: Sequence[str]

    @classmethod
    def of(
        cls, base: TaskBase, texts: Sequence[str], max_length: int, long_texts: LongTexts
    ) -> Self:
        """Encode texts; one without tokens is a row of special tokens, or of one padding id.

        Args:
            base: what reads texts.
            texts: the texts.
            max_length: tokens of a window.
            long_texts: what becomes of longer texts.
        """
        framing, reader = base.framing(max_length), base.reader()
        rows: list[list[int]] = []
        owners: list[int] = []
        num_cut = 0
        for text, ids in enumerate(reader.encode_batch(texts)):
            windows = cut_text(ids, framing.room, long_texts)
            num_cut += len(ids) > framing.room
            rows += [framing.around(window) or [base.pad] for window in windows]
            owners += [text] * len(windows)
        return cls(Ragged(rows, reader.spelling), np.array(owners, np.int64), num_cut, texts)

    def merged(self, values: NDArray[np.float64], num_texts: int) -> NDArray[np.float64]:
        """Return the mean of each text's windows, (N, ...), of values (rows, ...).

        Args:
            values: a row of each window.
            num_texts: how many texts there are.
        """
        sums = np.zeros((num_texts, *values.shape[1:]))
        np.add.at(sums, self.owners, values)
        return sums / self.counts(num_texts).reshape(-1, *[1] * (values.ndim - 1))

    def counts(self, num_texts: int) -> NDArray[np.int64]:
        """Return how many rows each text has, (N,)."""
        return np.bincount(self.owners, minlength=num_texts)
