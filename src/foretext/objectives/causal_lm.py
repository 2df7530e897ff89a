"""Causal language modelling: each token from those before it (Radford et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from pydantic import Field

from foretext.backbones.base import Backbone, States
from foretext.config import Config
from foretext.data.batch import Batch, Inputs, Visibility
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.vocabulary_head import Score, VocabularyHead
from foretext.objectives.base import Objective, TaskHeads, check_tied, row_length
from foretext.objectives.in_use import ModelInUse
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["CausalLM"]

PROMPT_TOKENS = 8  # of a sample
NEW_TOKENS = 32


class CausalLM(Objective):
    """Predicts every next token of rows that cover the text without gaps.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with an end-of-text token.
    """

    class Config(Config):
        """Settings of causal language modelling."""

        row_length: int | None = Field(None, ge=2)
        """Tokens of a row; none: the backbone's length."""
        tied: bool = True
        """The head's weights are the token vectors."""

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
        self.row_length = row_length(config.row_length, backbone)
        self.end = tokenizer.special.required("end")
        self.head = VocabularyHead(
            backbone.dim,
            backbone.vocab_size,
            transform=None,
            tied=backbone.embedding if config.tied else None,
            bias=False,
        )

    @property
    def token_head(self) -> VocabularyHead:
        """The map from states to next tokens."""
        return self.head

    @property
    def for_tasks(self) -> TaskHeads:
        """The map from states to next tokens."""
        return TaskHeads(vocabulary_head=self.head)

    def check(self, backbone: Backbone) -> None:
        """Refuse a backbone whose token vectors cannot be the weights of the head."""
        if self.config.tied:
            check_tied(backbone)

    def sample(self, model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
        """Generate text after the first tokens of a row."""
        prompt = model.tokenizer.decode(row[:PROMPT_TOKENS])
        return {"text": prompt, "answers": [model.generate(prompt, NEW_TOKENS)[0].text]}

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut the text into rows, at other places in each epoch."""
        return CausalRows(TokenStream(tokens, self.end), self.row_length)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predicted tokens."""
        return {self.part: batch.targets["next"].numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the next token at every position."""
        return {
            self.part: self.head.score(states.last.flatten(0, 1), batch.targets["next"].flatten())
        }


class CausalRows:
    """Rows of a stream and, as targets, the same rows one token later."""

    def __init__(self, stream: TokenStream, length: int) -> None:
        self.stream = stream
        self.length = min(length, len(stream) - 1)

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return where the rows begin, (N,), shuffled."""
        return rng.permutation(self.stream.row_starts(self.length, rng, ahead=1))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows are of one length."""
        return None

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Read the rows."""
        ids = torch.from_numpy(self.stream.take(keys[:, None] + np.arange(self.length + 1)))
        inputs = Inputs(ids[:, :-1].contiguous(), visibility="causal")
        return Batch(inputs, {"next": ids[:, 1:].contiguous()})  # (B, T)
