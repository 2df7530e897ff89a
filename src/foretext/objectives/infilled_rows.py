"""Rows of BART: a damaged text to be read, and the text to be written (Lewis et al. 2020)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.data.batch import Batch
from foretext.data.examples_by_row import ExamplesByRow
from foretext.data.padded_examples import WIDTHS
from foretext.data.row_draws import RowDraws
from foretext.data.token_stream import TokenStream
from foretext.objectives.infilling import infill
from foretext.objectives.sentence_order import shuffle_sentences
from foretext.objectives.source_rows import source_batch

__all__ = ["Damage", "InfilledRows"]

Ids = NDArray[np.int64]


class Damage(NamedTuple):
    """What is done to a text."""

    hide_rate: float  # share of the tokens
    mean_span: float  # tokens
    permutes: bool  # whether the sentences of a document are permuted
    mask: int  # id in place of a span


class InfilledRows(ExamplesByRow):
    """``<s> damaged text </s>``, and ``<s> text </s>`` to be written.

    The text is cut end to end; it may span several documents, with `</s>` between them. The decoder
    begins with `</s>`, as in the authors' program.

    Args:
        stream: of the text; its separator ends sources and targets.
        length: tokens of a row.
        damage: to the sources.
        first: id of `<s>`.
        pad: id that fills sources up: spans of other lengths leave other numbers of tokens.
        longest: positions of a source, at most; None: any number.
    """

    drawing = 2

    def __init__(
        self,
        stream: TokenStream,
        length: int,
        damage: Damage,
        *,
        first: int,
        pad: int,
        longest: int | None = None,
    ) -> None:
        self.stream, self.damage, self.longest = stream, damage, longest
        self.width = min(length - 2, len(stream))
        self.first, self.pad = first, pad

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.width, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length, and their sources nearly so."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows, and damage their sources with `draws`."""
        places = keys[:, None] + np.arange(self.width)
        damage, end = self.damage, self.stream.separator
        text, shown = self.stream.take(places), None
        if damage.permutes:
            order = shuffle_sentences(*self.stream.whereabouts(places), draws)
            shown = np.take_along_axis(text, order, axis=1)
        found = infill(
            text if shown is None else shown,
            damage.hide_rate,
            damage.mean_span,
            draws,
            mask=damage.mask,
            pad=self.pad,
            longest=None if self.longest is None else self.longest - 2,
        )
        hidden = found.hidden
        if shown is not None:  # where the tokens stand that the source does not show
            hidden = np.empty_like(found.hidden)
            np.put_along_axis(hidden, order, found.hidden, axis=1)
        lengths = found.lengths + 2
        source = self._framed(found.source, lengths)
        target = np.pad(text, ((0, 0), (1, 1)), constant_values=end)
        target[:, 0] = self.first
        return source_batch(source, target, np.pad(hidden, ((0, 0), (1, 1))), end, lengths)

    def _framed(self, source: Ids, lengths: Ids) -> Ids:
        """Put `<s>` before the sources and `</s>` behind them, and fill up to a usual width."""
        width = -(-int(lengths.max()) // WIDTHS) * WIDTHS
        if self.longest is not None:
            width = min(width, self.longest)
        framed = np.full((len(source), width), self.pad, np.int64)
        framed[:, 0] = self.first
        framed[:, 1 : source.shape[1] + 1] = source
        framed[np.arange(len(source)), lengths - 1] = self.stream.separator
        return framed
