"""Span corruption: spans of a text are cut out, and the model writes them.

Raffel et al. 2020, "T5", section 3.1.4. A sentinel stands in place of each span. The target has the
spans alone, each behind its sentinel, so it is short: a fifth of the source with the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from foretext.backbones.base import Backbone
from foretext.base.errors import SettingError
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives.gap import Gap
from foretext.objectives.hidden_word import hide_whole_word
from foretext.objectives.in_use import ModelInUse
from foretext.objectives.sequence_to_sequence import SequenceConfig, SequenceToSequence
from foretext.objectives.span_rows import SpanRows
from foretext.objectives.spans import SpanCounts
from foretext.tokenizers.frames import FrameKind

__all__ = ["SpanCorruption"]


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
