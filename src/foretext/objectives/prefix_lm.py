"""Prefix language modelling: a text is read as a whole up to a random place, and continued.

Raffel et al. 2020, "T5", section 3.2; Liu et al. 2018. An encoder-decoder reads the first part with
its encoder. One Transformer reads both parts in a row; what stands in the first part looks at all
of it, what comes after looks to the left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from foretext.backbones.base import Backbone
from foretext.data.batch import Visibility
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives.in_use import ModelInUse
from foretext.objectives.prefix_rows import PrefixRows
from foretext.objectives.reading import Reading
from foretext.objectives.sequence_to_sequence import SequenceConfig, SequenceToSequence
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["PrefixLM"]

SOURCE_TOKENS = 8  # of a sample
NEW_TOKENS = 32


class PrefixLM(SequenceToSequence):
    """Predicts every token of the second part of a text, whose first part it has read.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with an end token and, for an encoder-decoder, padding.
    """

    class Config(SequenceConfig):
        """Settings of prefix language modelling."""

    kind = "prefix"
    usage = 'model.generate(source="a text that begins", max_new_tokens=50)'
    command = 'generate {run} --source "a text that begins"'
    frame: ClassVar[FrameKind | None] = "t5"
    parts = ("prefix_lm",)

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.needs_source = backbone.reads_source
        self.visibility: Visibility = "causal" if backbone.reads_source else "full"

    @property
    def trains_with(self) -> frozenset[Visibility]:
        """Of one network for both parts: a matrix, or none where there is no first part."""
        return frozenset({"causal"} if self.needs_source else {"causal", "matrix"})

    def reading(self, source: Sequence[int] | None = None) -> Reading:
        """Return how a text is written: after a source, which is read as a whole, or by itself."""
        if self.needs_source:
            return super().reading(source)
        return Reading(tuple(source or ()), opening_visibility="full")

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; where the second part begins differs from batch to batch."""
        start = self.start if self.needs_source else None
        return PrefixRows(TokenStream(tokens, self.end), self.row_length, start)

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Continue the first tokens of a row."""
        source = model.tokenizer.decode(row[:SOURCE_TOKENS])
        written = model.generate("", NEW_TOKENS, source=source)[0]
        return {"text": source, "answers": [written.text]}
