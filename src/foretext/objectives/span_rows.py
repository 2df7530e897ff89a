"""Rows of T5: a text with sentinels in place of spans, and the spans (Raffel et al. 2020, 3.1.4).

The text is cut end to end; it may span several documents, with the end token between them, which
is hidden like any token.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from foretext.data.batch import Batch
from foretext.data.examples_by_row import ExamplesByRow
from foretext.data.row_draws import RowDraws
from foretext.data.token_stream import TokenStream
from foretext.objectives.source_rows import source_batch
from foretext.objectives.spans import SpanCounts, hide_spans

__all__ = ["SpanRows", "cut_out"]

Ids = NDArray[np.int64]


class SpanRows(ExamplesByRow):
    """``kept <extra_id_0> kept </s>``, and ``<extra_id_0> span </s>`` to be written.

    Args:
        stream: of the text; its separator ends sources and targets.
        counts: of a row.
        sentinels: ids, one for each span of a row at least.
        start: id that the decoder begins with.
    """

    def __init__(
        self, stream: TokenStream, counts: SpanCounts, sentinels: tuple[int, ...], start: int
    ) -> None:
        self.stream, self.counts, self.start = stream, counts, start
        self.sentinels = np.array(sentinels, np.int64)

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.counts.tokens, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows, and cut spans out of them with `draws`."""
        text = self.stream.take(keys[:, None] + np.arange(self.counts.tokens))
        hidden, spans = hide_spans(self.counts, len(keys), draws)
        end = self.stream.separator
        source, target = cut_out(text, hidden, self.sentinels[spans], end)
        return source_batch(source, target, self._of_spans(target), self.start)

    def _of_spans(self, target: Ids) -> NDArray[np.bool_]:
        """Which tokens of targets (B, T) are neither sentinels nor the end."""
        of_spans = ~np.isin(target, self.sentinels)
        of_spans[:, -1] = False
        return of_spans


def cut_out(text: Ids, hidden: NDArray[np.bool_], sentinels: Ids, end: int) -> tuple[Ids, Ids]:
    """Return the sources, (B, S), and the targets, (B, T'), of texts (B, T).

    Args:
        text: ids.
        hidden: (B, T), as many of each row, in as many spans.
        sentinels: (B, T), of the span that a token is in.
        end: id behind each source and target.
    """
    opens = hidden.copy()
    opens[:, 1:] &= ~hidden[:, :-1]
    source = np.where(opens, sentinels, text)[~hidden | opens]
    both = np.stack([sentinels, text], 2)  # (B, T, 2): a sentinel stands before its span
    target = both[np.stack([opens, hidden], 2)]
    return _ended(source.reshape(len(text), -1), end), _ended(target.reshape(len(text), -1), end)


def _ended(rows: Ids, end: int) -> Ids:
    return np.pad(rows, ((0, 0), (0, 1)), constant_values=end)
