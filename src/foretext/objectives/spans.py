"""Random spans of a row, and how long a row and its halves are when the spans are cut out.

Raffel et al. 2020, "T5", section 3.1.4, as in the authors' program (`random_spans_noise_mask` and
`random_spans_helper` of text-to-text-transfer-transformer): a share of the tokens is hidden, in
spans whose mean length is fixed; where they are and how long each one is, is random. Every row has
the same number of hidden tokens and of spans, so that no row of a batch is padded.

B rows, T tokens of a row, K spans of a row.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from foretext.data.row_draws import Draws

__all__ = ["SpanCounts", "hide_spans", "random_segments"]


class SpanCounts(NamedTuple):
    """How many tokens a row has, how many of them are hidden, and in how many spans."""

    tokens: int  # T
    hidden: int
    spans: int  # K

    @classmethod
    def of(cls, tokens: int, hidden_rate: float, mean_span: float) -> Self:
        """Return the counts of rows of so many tokens, 2 at least; each span has one at least."""
        hidden = max(min(round(tokens * hidden_rate), tokens - 1), 1)
        spans = max(min(round(hidden / mean_span), hidden, tokens - hidden), 1)
        return cls(tokens, hidden, spans)

    @classmethod
    def packed(cls, length: int, hidden_rate: float, mean_span: float) -> Self:
        """Return the counts of the longest rows whose source has `length` tokens at most."""
        tokens = max(length - 1, 2)
        while cls.of(tokens + 1, hidden_rate, mean_span).source_length <= length:
            tokens += 1
        return cls.of(tokens, hidden_rate, mean_span)

    @property
    def source_length(self) -> int:
        """Tokens of the source: what is not hidden, a sentinel for each span, and the end."""
        return self.tokens - self.hidden + self.spans + 1

    @property
    def target_length(self) -> int:
        """Tokens of the target: a sentinel before each span, the hidden tokens, and the end."""
        return self.hidden + self.spans + 1


def hide_spans(counts: SpanCounts, num_rows: int, rng: Draws) -> tuple[np.ndarray, np.ndarray]:
    """Draw the spans of some rows.

    A row begins with a token that is kept and ends with a hidden one, as in the authors' program.

    Returns:
        (B, T) bool, the hidden tokens; and (B, T) int64, the number of the span that a token is
        in, or that comes next.
    """
    kept = random_segments(counts.tokens - counts.hidden, counts.spans, num_rows, rng)
    hidden = random_segments(counts.hidden, counts.spans, num_rows, rng)
    lengths = np.stack([kept, hidden], 2).reshape(num_rows, -1)  # (B, 2 K), in turn
    begins = np.zeros((num_rows, counts.tokens), np.int64)
    np.put_along_axis(begins, np.cumsum(lengths[:, :-1], axis=1), 1, axis=1)
    segments = np.cumsum(begins, axis=1)  # 0, 2, ... are kept; 1, 3, ... are hidden
    return segments % 2 == 1, segments // 2


def random_segments(num_items: int, num_segments: int, num_rows: int, rng: Draws) -> np.ndarray:
    """Divide items into segments of one or more, all divisions alike; return lengths, (B, K)."""
    edges = np.zeros((num_rows, num_segments + 1), np.int64)
    edges[:, -1] = num_items
    if num_segments > 1:
        draws = rng.random((num_rows, num_items - 1))
        cuts = np.argpartition(draws, num_segments - 2, axis=1)[:, : num_segments - 1]
        edges[:, 1:-1] = np.sort(cuts, axis=1) + 1
    return np.diff(edges, axis=1)
