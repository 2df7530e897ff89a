"""Prefix language modelling: a text is read as a whole up to a random place, and continued.

Raffel et al. 2020, "T5", section 3.2; Liu et al. 2018. An encoder-decoder reads the first part with
its encoder. One Transformer reads both parts in a row; what stands in the first part looks at all
of it, what comes after looks to the left.

Rows of a prefix language model: a text in two parts, the second of which is predicted. Raffel et
al. 2020, "T5", section 3.2. The place of the cut is drawn for each batch, not for each row, so
that no part is padded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from foretext.backbones.base import Backbone
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.padded_examples import WIDTHS
from foretext.data.row_draws import RowDraws
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.objectives.base import ModelInUse
from foretext.objectives.reading import Reading
from foretext.objectives.sequence_to_sequence import SequenceConfig, SequenceToSequence
from foretext.objectives.shown_example import say
from foretext.objectives.source_rows import source_batch
from foretext.tokenizers.frames import FrameKind
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["PrefixLM", "PrefixRows"]

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

    def shown_rule(self, batch: Batch) -> str:
        """Say where the second part begins, which is predicted."""
        hidden = batch.targets["hidden"]
        num = int(hidden.sum())
        if batch.inputs.source is not None:
            read = batch.inputs.source.ids.shape[1] - 1
        else:
            read = hidden.shape[1] + 1 - num
        return say("prefix_lm.rule", read=read, number=num)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows from the text; where the second part begins differs from batch to batch."""
        start = self.start if self.needs_source else None
        return PrefixRows(TokenStream(tokens, self.end), self.row_length, start)

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Continue the first tokens of a row."""
        source = model.tokenizer.decode(row[:SOURCE_TOKENS])
        written = model.generate("", NEW_TOKENS, source=source)[0]
        return {"text": source, "answers": [written.text]}


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
