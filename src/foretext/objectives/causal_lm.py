"""Causal language modelling: each token from those before it.

Over short rows anywhere in the text (Radford et al. 2018), or over rows that go on from batch to
batch, for networks with a state (Mikolov et al. 2010; Zaremba et al. 2014).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import torch
from pydantic import Field, PositiveInt, model_validator

from foretext.backbones.base import Backbone, States
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples, ExamplesByRow
from foretext.data.row_draws import RowDraws
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.adaptive_softmax import AdaptiveSoftmax, usual_cutoffs
from foretext.nn.dropout import Dropout
from foretext.nn.token_head import Score, TokenHead
from foretext.nn.vocabulary_head import VocabularyHead
from foretext.objectives.base import (
    ModelInUse,
    Objective,
    TaskHeads,
    TextRules,
    check_tied,
    row_length,
)
from foretext.objectives.expectation import Expected, Row, from_the_left
from foretext.objectives.shown_example import ShownExample, say
from foretext.shown import Note, Part
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["CausalLM", "SoftmaxConfig"]

PROMPT_TOKENS = 8  # of a sample
NEW_TOKENS = 32


class SoftmaxConfig(Config):
    """Which softmax maps states to words: a full one, or that of Grave et al. 2017."""

    softmax: Literal["full", "adaptive"] = "full"
    """Kind of softmax; adaptive: rare words cost less, for large vocabularies of words."""
    cutoffs: list[PositiveInt] = Field([])
    """First ids of the clusters of rare words; none: by the size of the vocabulary."""
    div_value: float = Field(4.0, ge=1)
    """How much narrower the states of each cluster are than those of the one before."""

    @model_validator(mode="after")
    def _softmax_has_effect(self) -> Self:
        idle = self.changed & {"cutoffs", "div_value"}
        if self.softmax == "full" and idle:
            raise ValueError(f"{min(idle)} would have no effect with softmax = 'full'")
        if sorted({*self.cutoffs}) != self.cutoffs:
            raise ValueError(f"cutoffs = {self.cutoffs} must increase")
        return self

    def reached(self, vocab_size: int) -> list[int]:
        """Return the cutoffs within a vocabulary; plans build models over that of a sample, too."""
        return [cutoff for cutoff in self.cutoffs if cutoff < vocab_size]

    def within(self, vocab_size: int) -> tuple[Self, str | None]:
        """Return the settings without cutoffs beyond a vocabulary, and a note on those."""
        kept = self.reached(vocab_size)
        beyond = self.cutoffs[len(kept) :]
        if not beyond:
            return self, None
        said = ", ".join(f"{cutoff:,}" for cutoff in beyond)
        note = f"objective.cutoffs: without {said}, for the vocabulary has {vocab_size:,} tokens"
        return self.model_copy(update={"cutoffs": kept}), note


def within_vocabulary(
    config: SoftmaxConfig, texts: Sequence[TokenFile]
) -> tuple[SoftmaxConfig, str | None]:
    """Leave out cutoffs that the vocabulary does not reach."""
    return config.within(texts[0].vocab_size)


def _stand_alone(config: Any) -> bool:
    """Whether rows stand alone: rows that go on see the same past at any length."""
    return not config.carry_state


class CausalLM(Objective):
    """Predicts every next token of rows that cover the text without gaps.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with an end-of-text token.
    """

    class Config(SoftmaxConfig):
        """Settings of causal language modelling."""

        row_length: int | None = Field(None, ge=2)
        """Tokens of a row; none: the backbone's length."""
        tied: bool = True
        """The head's weights are the token vectors; of an adaptive softmax, those of its head."""
        carry_state: bool = False
        """Each row of a batch goes on where the same row of the batch before ended."""
        dropout: float = Field(0.0, ge=0, lt=1)
        """Dropout of the states that the head reads (Zaremba et al. 2014)."""

    text_rules = TextRules(possible=within_vocabulary, plans_rows=_stand_alone)
    visibility: Visibility = "causal"
    continues = True
    scores_text = True
    kind = "causal"
    usage = 'model.generate("a text that begins", max_new_tokens=50)'
    command = 'generate {run} "a text that begins"'
    loss_law = "causal"
    part = "causal_lm"
    row_length: int
    end: int

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.row_length = row_length(config, backbone)
        self.carries_state = config.carry_state
        self.cuts_rows = not config.carry_state
        self.end = tokenizer.special.required("end")
        self.dropout = Dropout(config.dropout)
        self.head = _head(config, backbone)

    @property
    def token_head(self) -> TokenHead:
        """The map from states to next tokens."""
        return self.head

    @property
    def for_tasks(self) -> TaskHeads:
        """The map from states to next tokens."""
        return TaskHeads(vocabulary_head=self.head)

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone whose token vectors cannot be the head's, or that has no state."""
        if self.config.tied:
            check_tied(backbone)
        if self.carries_state and not backbone.carries_state:
            raise SettingError(
                f"[objective] carry_state = true: {type(backbone).__name__} has no state that a "
                "batch could pass on to the next; leave it out, or use a recurrent network with "
                "bidirectional = false and attention = 'none'."
            )

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Generate text after the first tokens of a row."""
        prompt = model.tokenizer.decode(row[:PROMPT_TOKENS])
        return {"text": prompt, "answers": [model.generate(prompt, NEW_TOKENS)[0].text]}

    def show(self, batch: Batch, tokenizer: Tokenizer) -> Sequence[Part]:
        """Return input and target, which are shifted by one, and the first steps one by one."""
        example = ShownExample(batch, tokenizer)
        notes = [Note(say("causal_lm.note", number=batch.targets["next"].numel()))]
        if self.carries_state:
            notes.append(Note(say("causal_lm.carried")))
        return [*notes, example.shifted(), example.steps(), *example.seen()]

    def expected(self, backbone: Backbone, row: Row) -> Expected:
        """Return what the tokens before each position let expect."""
        states = backbone(Inputs(row.ids[None], visibility="causal")).last[0]
        return {"left": from_the_left(self.head, states)}

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut the text into rows, at other places in each epoch."""
        stream = TokenStream(tokens, self.end)
        return CausalRows(stream, self.row_length, in_order=self.carries_state)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predicted tokens."""
        return {self.part: batch.targets["next"].numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the next token at every position."""
        hidden = self.dropout(states.last.flatten(0, 1))  # (B T, D)
        return {self.part: self.head.score(hidden, batch.targets["next"].flatten())}


class CausalRows(ExamplesByRow):
    """Rows of a stream and, as targets, the same rows one token later.

    Args:
        stream: of the text.
        length: of a row.
        in_order: whether the rows come as they stand in the text, and not shuffled.
    """

    def __init__(self, stream: TokenStream, length: int, *, in_order: bool = False) -> None:
        self.stream = stream
        self.length = min(length, len(stream) - 1)
        self.in_order = in_order

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,)."""
        starts = self.stream.row_starts(self.length, rng, ahead=1)
        return starts if self.in_order else rng.permutation(starts)

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch_of(self, keys: np.ndarray, draws: RowDraws) -> Batch:
        """Read the rows."""
        ids = torch.from_numpy(self.stream.take(keys[:, None] + np.arange(self.length + 1)))
        inputs = Inputs(ids[:, :-1].contiguous(), visibility="causal")
        return Batch(inputs, {"next": ids[:, 1:].contiguous()})  # (B, T)


def _head(config: CausalLM.Config, backbone: Backbone) -> TokenHead:
    tied = backbone.embedding if config.tied else None
    if config.softmax == "full":
        return VocabularyHead(
            backbone.dim, backbone.vocab_size, transform=None, tied=tied, bias=False
        )
    V = backbone.vocab_size
    cutoffs = config.reached(V) or usual_cutoffs(V)
    return AdaptiveSoftmax(backbone.dim, V, cutoffs, div_value=config.div_value, tied=tied)
