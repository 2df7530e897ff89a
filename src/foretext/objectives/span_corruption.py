"""Span corruption: spans of a text are cut out, and the model writes them.

Raffel et al. 2020, "T5", section 3.1.4. A sentinel stands in place of each span. The target has the
spans alone, each behind its sentinel, so it is short: a fifth of the source with the defaults.

Rows of T5: a text with sentinels in place of spans, and the spans (Raffel et al. 2020, 3.1.4).
The text is cut end to end; it may span several documents, with the end token between them, which
is hidden like any token.

Random spans of a row, and how long a row and its halves are when the spans are cut out. Raffel et
al. 2020, "T5", section 3.1.4, as in the authors' program (`random_spans_noise_mask` and
`random_spans_helper` of text-to-text-transfer-transformer): a share of the tokens is hidden, in
spans whose mean length is fixed; where they are and how long each one is, is random. Every row
has the same number of hidden tokens and of spans, so that no row of a batch is padded.

B rows, T tokens of a row, K spans of a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.row_draws import Draws, RowDraws
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives.base import ModelInUse
from foretext.objectives.cloze import hide_whole_word
from foretext.objectives.gap import Gap
from foretext.objectives.sequence_to_sequence import SequenceConfig, SequenceToSequence
from foretext.objectives.shown_example import say
from foretext.objectives.source_rows import source_batch
from foretext.tokenizers.frames import FrameKind

__all__ = ["SpanCorruption", "SpanCounts", "SpanRows", "cut_out", "hide_spans", "random_segments"]

Ids = NDArray[np.int64]


class SpanCorruption(SequenceToSequence):
    """Predicts the spans that sentinels stand for.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with padding, an end token and, for training, sentinels.
    """

    class Config(SequenceConfig):
        """Settings of span corruption."""

        hide_rate: float = Field(0.15, gt=0, lt=1)
        """Share of the tokens that are hidden in training."""
        valid_hide_rate: float = Field(0.15, gt=0, lt=1)
        """Share of the tokens that are hidden where the held-out loss is measured."""
        mean_span: float = Field(3.0, ge=1)
        """Mean length of a hidden span, in tokens."""

    fills = True
    writes_spans = True
    kind = "text-to-text"
    usage = 'model.fill("a text with a [MASK] in it")'
    command = 'fill {run} "a text with a [MASK] in it"'
    frame: ClassVar[FrameKind | None] = "t5"
    parts = ("spans", "sentinels")  # the end token is among these

    def row_counts(self, *, held_out: bool = False) -> SpanCounts:
        """Return the tokens of a row, whose source has `row_length` tokens."""
        return SpanCounts.packed(self.row_length, self._rate(held_out), self.config.mean_span)

    def check(self, backbone: Backbone) -> None:
        """Refuse a tokenizer with fewer sentinels than a row has spans."""
        super().check(backbone)
        found = len(self.tokenizer.special.sentinels)
        needed = max(self.row_counts(held_out=part).spans for part in (False, True))
        if found < needed:
            raise SettingError(
                f"A row of {self.row_length} tokens has {needed} hidden spans, and the tokenizer "
                f"has {found} sentinels (<extra_id_0>, <extra_id_1>, ...); set "
                f"tokenizer.num_sentinels = {needed} or more, or take shorter rows "
                "(objective.row_length)."
            )

    def shown_rule(self, batch: Batch) -> str:
        """Say how much is hidden, and in how many spans."""
        assert batch.inputs.source is not None
        source, hidden = batch.inputs.source.ids[0].numpy(), int(batch.targets["hidden"].sum())
        spans = int(np.isin(source, self.tokenizer.special.sentinels).sum())
        tokens = len(source) - 1 - spans + hidden
        share = f"{hidden / tokens:.0%}"
        return say("t5.rule", hidden=hidden, tokens=tokens, share=share, spans=spans)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; other spans are cut out every time a row is read."""
        stream, counts = TokenStream(tokens, self.end), self.row_counts(held_out=held_out)
        if len(stream) < counts.tokens:
            rate = self._rate(held_out)
            counts = SpanCounts.of(len(stream), rate, self.config.mean_span)
        return SpanRows(stream, counts, self.tokenizer.special.sentinels, self.start)

    def gap(self, pieces: Sequence[Sequence[int]], written: Sequence[Sequence[int]]) -> Gap:
        """Put a sentinel into each gap, and write the spans from the first one on."""
        sentinels = self.tokenizer.special.sentinels
        if len(pieces) - 1 > len(sentinels):
            raise SettingError(
                f"The text has {len(pieces) - 1} masks, and the tokenizer has {len(sentinels)} "
                "sentinels (<extra_id_0>, <extra_id_1>, ...); fill fewer masks at once."
            )
        source = list(pieces[0])
        for sentinel, piece in zip(sentinels, pieces[1:], strict=False):
            source += [sentinel, *piece]
        opening = [self.start]
        for sentinel, span in zip(sentinels, [*written, ()], strict=False):
            opening += [sentinel, *span]
        number = len(written) + 1
        reading = self.reading(source)._replace(opening=tuple(opening))
        return Gap(reading, (*sentinels[number : number + 1], self.end))

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
        """Hide the word in the middle of a row, and write what is missing."""
        return hide_whole_word(model, row)

    def _rate(self, held_out: bool) -> float:
        rate: float = self.config.valid_hide_rate if held_out else self.config.hide_rate
        return rate


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
