"""Questions that are answered by a span of a passage (Devlin et al. 2019, 4.2 and 4.3).

A row is ``[CLS] question [SEP] passage [SEP]``. Each of its positions has a score for being the
first token of the answer and one for being the last; where there is no answer, both are the row's
first position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

import torch
import torch.nn.functional as F
from pydantic import Field, model_validator
from torch import Tensor

from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.base.errors import SettingError
from foretext.data.batch import Batch, Inputs
from foretext.heads.base import Head, TaskBase
from foretext.heads.shared_tokens import SharedTokens, mark_shared_tokens, marks_shared
from foretext.heads.text_head import (
    Layers,
    Transform,
    default_layers,
    default_transform,
    initialised_linear,
    layer_mix,
    made_transform,
)
from foretext.nn.dropout import Dropout
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import TaskHeads

__all__ = ["SpanHead"]


class SpanHead(Head):
    """A linear map from each state to the scores of a span's start and end.

    Args:
        config: the user's settings.
        base: tokenizer and backbone.
        may_abstain: whether a question may have no answer (SQuAD 2.0).
    """

    class Config(Settings):
        """Settings of the rows, of the head, and of the answers."""

        max_length: int = Field(384, ge=16)
        """Positions of a row, if the base allows as many."""
        stride: int = Field(128, ge=1)
        """Tokens by which windows move on; half a window at most."""
        max_question_length: int = Field(64, ge=1)
        """Tokens of a question, at most; half of a row's text at most."""
        shared_tokens: SharedTokens = "auto"
        """Mark the tokens that question and passage share."""
        keep_empty_windows: bool = True
        """Learn from windows that do not hold their answer."""
        max_answer_length: int = Field(30, ge=1)
        """Tokens of an answer, at most."""
        num_best: int = Field(20, ge=1)
        """Candidates of a question that are compared."""
        layers: Layers | None = None
        """Layers that the head reads; mix: weighted as is learned; none: as suits the base."""
        transform: Transform | None = None
        """Layer before the last one; none: no layer. By itself as suits the base."""
        dropout: float = Field(0.0, ge=0, lt=1)
        """Dropout of the states; BERT has none here."""
        language: Literal["auto", "english", "chinese"] = "auto"
        """Language of the measure; auto: by the script."""

        @model_validator(mode="after")
        def _windows_overlap(self) -> Self:
            if "stride" in self.changed and self.stride > self.max_length // 2:
                raise ValueError(
                    f"stride = {self.stride} is more than half of max_length = {self.max_length}, "
                    "and windows overlap by half at least"
                )
            return self

    name = "span_qa"
    repeats_inputs = True

    def __init__(self, config: Config, base: TaskBase, *, may_abstain: bool = False) -> None:
        super().__init__(config, base, may_abstain=may_abstain)
        if not base.reads_pairs(config.max_length):
            raise SettingError(
                "[task] span_qa needs a token between question and passage; use a Transformer "
                "whose tokenizer has one, such as '[SEP]' or '<|endoftext|>', or over whole words "
                "backbone.name = 'reader', which needs none."
            )
        self.marks_tokens = marks_shared(config.shared_tokens, base)
        if self.marks_tokens:
            mark_shared_tokens(base)
        layers = config.layers or default_layers(base)
        self.mix = layer_mix(base, layers)
        transform = config.transform or default_transform(base)
        # A folder does not show what suits the base, so the choice is kept in it.
        self.config = config.model_copy(
            update={
                "layers": layers,
                "transform": transform,
                "shared_tokens": self.marks_tokens,
            }
        )
        self.transform = made_transform(base, transform)
        self.dropout = Dropout(config.dropout)
        self.span = initialised_linear(base, base.head_dim, 2)

    @property
    def for_tasks(self) -> TaskHeads:
        """What stands between the states and the last layer."""
        return TaskHeads(transform=self.transform)

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return the logits of starts and ends, (B, T, 2)."""
        x = self.read(states, inputs)
        x = x if self.transform is None else self.transform(x)
        logits: Tensor = self.span(self.dropout(x)).float()
        return logits

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of rows."""
        return {self.name: len(batch)}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score targets `span`, (B, 2) positions: the mean of two cross-entropies a row."""
        logits = self.outputs(states, batch.inputs)  # (B, T, 2)
        if batch.inputs.token_mask is not None:
            logits = logits.masked_fill(~batch.inputs.token_mask[..., None], -torch.inf)
        span = batch.targets["span"]
        loss = F.cross_entropy(logits, span, reduction="sum") / 2  # softmax over T
        return {self.name: Score(loss, (logits.argmax(1) == span).all(1).sum())}
