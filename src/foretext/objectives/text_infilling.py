"""Text infilling and permuted sentences: a damaged text is read, the text is written.

Lewis et al. 2020, "BART", section 2.2. Spans of the text become one mask each, and the sentences of
a document are in another order; the target is the whole text. Deviations from the authors'
program: lengths of spans are in tokens, not in words, and rows are cut at tokens, not at sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from foretext.backbones.base import Backbone
from foretext.base.config import Config as BaseConfig
from foretext.base.errors import CorpusError
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives.gap import Gap
from foretext.objectives.hidden_word import hide_whole_word
from foretext.objectives.in_use import ModelInUse
from foretext.objectives.infilled_rows import Damage, InfilledRows
from foretext.objectives.reading import Reading
from foretext.objectives.sentence_order import has_sentences
from foretext.objectives.sequence_to_sequence import SequenceConfig, SequenceToSequence
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["TextInfilling"]


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

    @classmethod
    def possible(cls, config: Config, texts: Sequence[TokenFile]) -> tuple[BaseConfig, str | None]:
        """Leave out the order of sentences where no document has two."""
        if not config.permute_sentences or any(map(has_sentences, texts)):
            return config, None
        return config.model_copy(update={"permute_sentences": False}), (
            "sentences are not permuted, as no document of this text has two; set "
            "corpus.sentences = 'punctuation', or corpus.documents to what ends a document"
        )

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
