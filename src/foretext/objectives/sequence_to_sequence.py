"""What every objective has that writes a text token by token after it has read another one.

First weights with which a head predicts how often each token occurs, before anything is learned.
A network without biases learns these frequencies first, and all of its weights take part: within
some twenty steps its states become one vector, the same at each position, and what is equal
everywhere can be neither looked for nor found. A small T5 then needs thousands of steps to look
at its source. So the token vectors begin with a part that all of them share, and the head begins
with the frequencies in the direction that the states get from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.base.config import Config
from foretext.data.batch import Batch, Visibility
from foretext.data.examples import Examples
from foretext.nn.token_head import Score
from foretext.nn.vocabulary_head import VocabularyHead
from foretext.objectives.base import Objective, TaskHeads, check_tied, row_length
from foretext.objectives.reading import Reading, Writing
from foretext.objectives.shown_example import ShownExample, say
from foretext.shown import Note, Part, TokenLines
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["SequenceConfig", "SequenceToSequence", "next_token_head"]

NUM_BATCHES, ROWS = 256, 16  # that tokens are counted in
SHARED = 1.0  # size of the part that token vectors share, in standard deviations of the others


class SequenceConfig(Config):
    """Settings of rows, and of the head that predicts the next token."""

    row_length: int | None = Field(None, ge=8)
    """Tokens of a row; none: the backbone's length."""
    tied: bool = True
    """The head's weights are the token vectors."""
    scale_states: bool = False
    """Divide states by the root of their width before the head (T5 1.0)."""
    bias: bool = False
    """Whether the head has an additive part (Marian)."""
    first_frequencies: bool = False
    """Whether an untrained head predicts how often each token occurs; it needs tied = false."""

    @model_validator(mode="after")
    def _has_weights_of_its_own(self) -> SequenceConfig:
        if self.first_frequencies and self.tied:
            raise ValueError("first_frequencies = true needs tied = false")
        return self


class SequenceToSequence(Objective):
    """Predicts every token of a target from those before it and from a source.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with an end token.
    """

    visibility: Visibility = "causal"
    needs_source = True
    continues = True
    continues_sources = True
    parts: tuple[str, ...]  # names of the losses: of hidden tokens and, apart, of other ones
    row_length: int
    end: int

    def __init__(
        self, config: SequenceConfig, backbone: Backbone, tokenizer: SubwordTokenizer
    ) -> None:
        super().__init__(config, backbone, tokenizer)
        self.tokenizer = tokenizer
        self.row_length = row_length(config, backbone)
        self.end = tokenizer.special.required("end")
        self.writing: Writing | None = None  # None: with the ids that are usual for the objective
        self.head = next_token_head(config, backbone)

    @property
    def usual_start(self) -> int:
        """The id that the decoder reads before the first token, unless `follow` says another."""
        return self.tokenizer.special.required("pad")

    @property
    def start(self) -> int:
        """The id that the decoder reads before the first token."""
        return self.usual_start if self.writing is None else self.writing.start

    def follow(self, writing: Writing) -> None:
        """Write with the ids of a published model from now on."""
        self.writing, self.end = writing, writing.end

    @property
    def token_head(self) -> VocabularyHead:
        """The map from states to next tokens."""
        return self.head

    @property
    def for_tasks(self) -> TaskHeads:
        """The map from states to next tokens."""
        return TaskHeads(vocabulary_head=self.head)

    def begin(self, backbone: Backbone, examples: Examples) -> None:
        """Begin with the frequencies of tokens, if the settings say so."""
        if self.config.first_frequencies:
            _begin_with_frequencies(backbone, self.head.weight, examples)

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone whose token vectors cannot be the weights of the head."""
        if self.config.tied:
            check_tied(backbone)

    def reading(self, source: Sequence[int] | None = None) -> Reading:
        """Return how a text is written: after the source and its end, from the start token on."""
        before = self.tokenizer.prefix if self.tokenizer.ends else ()  # of a folder's own template
        framed = (*before, *(source or ()), self.end)
        return self.written(Reading((self.start,), source=framed, never=(self.start,)))

    def written(self, reading: Reading) -> Reading:
        """Return a reading with the ids of the published model that this one follows, if any."""
        if self.writing is None:
            return reading
        start, _, first, last, never = self.writing
        return reading._replace(opening=(start,), first=first, last=last, never=never)

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return what the encoder reads, the decoder's input and target, and its first steps."""
        example, source = ShownExample(batch, tokenizer), batch.inputs.source
        parts: list[Part] = [Note(self.shown_rule(batch))]
        if source is not None:
            marks = self._marks_of_source(source.ids[0].tolist(), example)
            parts.append(TokenLines(say("default.source"), example.lines_of(source, marks=marks)))
        names = ("token", "next") if source is None else ("decoder", "next")
        parts += [example.shifted(names), example.steps()]
        return [*parts, *([] if source is None else [Note(say("seq2seq.seen"))]), *example.seen()]

    def shown_rule(self, batch: Batch) -> str:
        """Return what is done to an example, in a sentence with its figures."""
        return say("seq2seq.rule", number=batch.targets["next"].numel())

    def _marks_of_source(self, ids: Sequence[int], example: ShownExample) -> list[str]:
        special = self.tokenizer.special
        found = example.specials(ids)
        for place, index in enumerate(ids):
            if index == special.mask or index in special.sentinels:
                found[place] = "masked_span" if index == special.mask else "sentinel"
        return found

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predicted tokens of each part."""
        return {part: int(chosen.sum()) for part, chosen in self._chosen(batch).items()}

    def divisors(self, counts: Mapping[str, int]) -> Mapping[str, int]:
        """Return all predicted tokens for each part, so that the loss is one mean."""
        return dict.fromkeys(counts, max(sum(counts.values()), 1))

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the next tokens of each part."""
        rows, targets = states.last.flatten(0, 1), batch.targets["next"].flatten()
        scores = {}
        for part, chosen in self._chosen(batch).items():
            places = chosen.flatten().nonzero()[:, 0]  # (M,)
            hidden = rows.index_select(0, places)  # (M, D)
            scores[part] = self.head.score(hidden, targets.index_select(0, places))
        return scores

    def _chosen(self, batch: Batch) -> Mapping[str, Tensor]:
        """The positions of each part, (B, T) bool."""
        hidden = batch.targets["hidden"]
        return dict(zip(self.parts, (hidden, ~hidden), strict=False))


def next_token_head(config: SequenceConfig, backbone: Backbone) -> VocabularyHead:
    """Return a map from states to tokens."""
    scale: float = backbone.dim**-0.5
    return VocabularyHead(
        backbone.dim,
        backbone.vocab_size,
        transform=Scale(scale) if config.scale_states else None,
        tied=backbone.embedding if config.tied else None,
        bias=config.bias,
    )


class Scale(nn.Module):
    """Multiplies states by a number."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, states: Tensor) -> Tensor:
        """Return the states times the number."""
        return states * self.factor

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"{self.factor:g}"


@torch.no_grad()
def _begin_with_frequencies(
    backbone: Backbone, head: torch.Tensor, examples: Examples, seed: int = 0
) -> None:
    """Change the token vectors and the weights of a head that has its own.

    Args:
        backbone: with random weights.
        head: (V, D), from states to tokens.
        examples: with the target ``next``; the first of an epoch are counted.
        seed: of the epoch.
    """
    rng = np.random.default_rng(seed)
    keys = examples.keys(rng)[: NUM_BATCHES * ROWS]
    batches = (examples.batch(keys[at : at + ROWS], rng) for at in range(0, len(keys), ROWS))
    counts = torch.ones(len(head))
    for batch in batches:
        counts += torch.bincount(batch.targets["next"].flatten(), minlength=len(head))
    vectors = backbone.embedding
    signs = torch.ones(vectors.shape[1])
    signs[1::2] = -1.0  # a layer norm takes away what all columns share
    vectors.add_(SHARED * float(vectors.std()) * signs.to(vectors))
    states = backbone(batch.inputs).last.flatten(0, 1)  # (N, D)
    common = states.mean(0)
    along = states @ common
    size = along.mean() / along.square().mean()  # with it products are as near to 1 as they can be
    scores = counts.log() - counts.log().mean()
    head.add_(torch.outer(scores.to(head), size * common))
