"""Text infilling and permuted sentences: a damaged text is read, the text is written.

Lewis et al. 2020, "BART", section 2.2. Spans of the text become one mask each, and the sentences of
a document are in another order; the target is the whole text. Deviations from the authors'
program: lengths of spans are in tokens, not in words, and rows are cut at tokens, not at sentences.

Rows of BART: a damaged text to be read, and the text to be written (Lewis et al. 2020).

Text infilling: each of some random spans becomes one mask token. Lewis et al. 2020, "BART",
section 2.2: the lengths of spans are drawn from a Poisson distribution, and a span of length 0
inserts a mask. Here exactly the share of a row is hidden: spans never overlap, and the last one
is cut where the share is reached.

B rows, T tokens of a row, K spans, S slots of a source: a slot has a token or a mask.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from foretext.backbones.base import Backbone
from foretext.base.errors import CorpusError
from foretext.data.batch import Batch
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.padded_examples import WIDTHS
from foretext.data.row_draws import Draws, RowDraws
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives.base import ModelInUse, TextRules
from foretext.objectives.cloze import hide_whole_word
from foretext.objectives.gap import Gap
from foretext.objectives.reading import Reading
from foretext.objectives.sentence_order import has_sentences, shuffle_sentences
from foretext.objectives.sequence_to_sequence import SequenceConfig, SequenceToSequence
from foretext.objectives.shown_example import say
from foretext.objectives.source_rows import source_batch
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["Damage", "Infilled", "InfilledRows", "TextInfilling", "draw_span_lengths", "infill"]

Ids = NDArray[np.int64]


def _without_order(config: Any, texts: Sequence[TokenFile]) -> tuple[Any, str | None]:
    """Leave out the order of sentences where no document has two."""
    if not config.permute_sentences or any(map(has_sentences, texts)):
        return config, None
    return config.model_copy(update={"permute_sentences": False}), (
        "sentences are not permuted, as no document of this text has two; set "
        "corpus.sentences = 'punctuation', or corpus.documents to what ends a document"
    )


class TextInfilling(SequenceToSequence):
    """Predicts the whole text from a damaged one.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with `<s>`, `</s>`, `<pad>` and `<mask>`.
    """

    class Config(SequenceConfig):
        """Settings of text infilling."""

        hide_rate: float = Field(0.3, ge=0, lt=1)
        """Share of the tokens that are hidden."""
        mean_span: float = Field(3.0, gt=0)
        """Mean length of a hidden span, in tokens; a span of length 0 inserts a mask."""
        permute_sentences: bool = True
        """Whether the sentences of each document are read in random order."""

    text_rules = TextRules(possible=_without_order)
    fills = True
    writes_spans = True
    kind = "denoising"
    usage = 'model.fill("a text with a [MASK] in it")'
    command = 'fill {run} "a text with a [MASK] in it"'
    frame: ClassVar[FrameKind | None] = "roberta"
    parts = ("infilled", "copied")

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.longest_source = backbone.max_length

    @property
    def usual_start(self) -> int:
        """The id that the decoder reads before the first token, unless `follow` says another."""
        return self.end

    @property
    def first(self) -> int:
        """The id of the first token of sources and targets."""
        return self.tokenizer.special.required("cls")

    def shown_rule(self, batch: Batch) -> str:
        """Say how much is hidden, behind how many masks, and what is done to sentences."""
        assert batch.inputs.source is not None
        masks = batch.inputs.source.ids.flatten().tolist().count(self.tokenizer.special.mask)
        hidden, tokens = batch.targets["hidden"], batch.targets["next"].numel() - 2
        num, share = int(hidden.sum()), f"{int(hidden.sum()) / max(tokens, 1):.0%}"
        order = say("bart.permuted") if self.config.permute_sentences else say("bart.in_order")
        return say("bart.rule", hidden=num, tokens=tokens, share=share, masks=masks, order=order)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; each is damaged differently every time it is read."""
        special, config = self.tokenizer.special, self.config
        mask, pad = special.required("mask"), special.required("pad")
        damage = Damage(config.hide_rate, config.mean_span, config.permute_sentences, mask)
        stream = TokenStream(tokens, self.end)
        return InfilledRows(
            stream,
            self.row_length,
            damage,
            first=self.first,
            pad=pad,
            longest=self.longest_source,
        )

    def reading(self, source: Sequence[int] | None = None) -> Reading:
        """Return how a text is written: after the framed source, with `<s>` as its first token."""
        framed = (self.first, *(source or ()), self.end)
        never = (self.tokenizer.special.required("pad"),)
        usual = Reading((self.start,), source=framed, first=self.first, never=never)
        return self.written(usual)

    def gap(self, pieces: Sequence[Sequence[int]], written: Sequence[Sequence[int]]) -> Gap:
        """Put a mask into each gap, and write the text up to the gap; its next token ends it."""
        mask = self.tokenizer.special.required("mask")
        source = list(pieces[0])
        for piece in pieces[1:]:
            source += [mask, *piece]
        opening = [self.start, self.first, *pieces[0]]
        for span, piece in zip(written, pieces[1:], strict=False):
            opening += [*span, *piece]
        behind = pieces[len(written) + 1 :]
        if len(behind) > 1 and not behind[0]:
            raise CorpusError(
                "The text has two masks side by side; leave one out, as a mask stands for any "
                "number of tokens."
            )
        reading = self.reading(source)._replace(opening=tuple(opening), first=None)
        return Gap(reading, ((*behind[0], self.end)[0],))

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
        """Mask the word in the middle of a row, and write what is missing."""
        return hide_whole_word(model, row)


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


class Infilled(NamedTuple):
    """Rows with masks in place of spans."""

    source: Ids  # (B, S), filled up with `pad`
    lengths: Ids  # (B,), of the sources
    hidden: NDArray[np.bool_]  # (B, T), the tokens that the source does not show


def infill(
    text: Ids,
    hide_rate: float,
    mean_span: float,
    rng: Draws,
    *,
    mask: int,
    pad: int,
    longest: int | None = None,
) -> Infilled:
    """Hide spans of texts (B, T); the same number of tokens of each row.

    Spans of length 0 make a source longer than its text: it ends after `longest` slots at most.
    """
    B, T = text.shape
    num_hidden = round(T * hide_rate)
    spans = draw_span_lengths(num_hidden, mean_span, B, rng)  # (B, K)
    num_spans = (spans >= 0).sum(1)  # (B,)
    lengths = T - num_hidden + num_spans
    most = T - num_hidden + _most_spans(num_hidden, mean_span)
    is_mask = _drawn_slots(lengths, num_spans, rng.random((B, most)))  # (B, S)
    if longest is not None:
        is_mask, lengths = is_mask[:, :longest], np.minimum(lengths, longest)
    # Each slot stands for so many tokens of the text: a token for one, a mask for its span.
    numbers = np.minimum(np.cumsum(is_mask, axis=1) - 1, spans.shape[1] - 1)
    of_slot = np.where(is_mask, np.take_along_axis(spans, np.maximum(numbers, 0), axis=1), 1)
    places = np.cumsum(of_slot, axis=1) - of_slot
    is_token = ~is_mask & (np.arange(is_mask.shape[1]) < lengths[:, None])
    source = np.full(is_mask.shape, pad, np.int64)
    source[is_mask] = mask
    rows = np.nonzero(is_token)[0]
    source[is_token] = text[rows, places[is_token]]
    hidden = np.ones((B, T), np.bool_)
    hidden[rows, places[is_token]] = False
    return Infilled(source, lengths, hidden)


def draw_span_lengths(num_hidden: int, mean_span: float, num_rows: int, rng: Draws) -> Ids:
    """Draw lengths of spans that hold `num_hidden` tokens together, (B, K); -1 = no span.

    The draws of a row end with the span that reaches the number, which is cut there.
    """
    drawn = rng.random((num_rows, _most_spans(num_hidden, mean_span)))
    lengths: Ids = np.searchsorted(_poisson_ends(mean_span), drawn, side="right").astype(np.int64)
    before = np.cumsum(lengths, axis=1) - lengths
    lengths = np.minimum(lengths, num_hidden - before)
    lengths[before >= num_hidden] = -1
    missing = num_hidden - np.where(lengths > 0, lengths, 0).sum(1)
    lengths[:, -1] += missing
    width = int((lengths >= 0).sum(1).max())
    found: Ids = lengths[:, : max(width, 1)]
    return found


def _most_spans(num_hidden: int, mean_span: float) -> int:
    """Return how many are enough but for a chance that does not matter: the last one is longer."""
    return int(2 * num_hidden / mean_span) + 16


@cache
def _poisson_ends(mean: float) -> NDArray[np.float64]:
    """Return the chance of each length or a shorter one, from 0 on, up to all but 1e-12."""
    number = np.arange(int(mean + 12 * math.sqrt(mean)) + 24)
    logs = np.log(np.maximum(number, 1))
    ends: NDArray[np.float64] = np.cumsum(np.exp(number * math.log(mean) - mean - np.cumsum(logs)))
    return ends


def _drawn_slots(lengths: Ids, num_masks: Ids, draws: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Draw which slots have a mask, (B, S) bool: `num_masks` of the first `lengths` of a row."""
    width = int(lengths.max())
    draws = draws[:, :width]
    draws[np.arange(width) >= lengths[:, None]] = 2.0
    ranks = draws.argsort(1).argsort(1)
    drawn: NDArray[np.bool_] = ranks < num_masks[:, None]
    return drawn
