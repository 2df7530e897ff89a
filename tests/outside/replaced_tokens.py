"""Replaced-token detection: which tokens of a row were replaced? (Clark et al. 2020, section 2)

In the paper a small network draws the replacements. Here they are tokens of the same text, drawn
uniformly.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F
from pydantic import Field
from torch import nn

from foretext.extend import (
    Backbone,
    Batch,
    Config,
    Examples,
    Inputs,
    Objective,
    Score,
    States,
    SubwordTokenizer,
    TokenFile,
    TokenStream,
)


class ReplacedTokens(Objective):
    """Says of every token whether it was replaced."""

    class Config(Config):
        """Settings of the section [objective]."""

        row_length: int = Field(64, ge=2)  # tokens
        replace_rate: float = Field(0.15, gt=0, lt=1)  # of the tokens

    visibility = "full"  # every position may look at all others

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__(config, backbone, tokenizer)
        self.row_length = min(config.row_length, backbone.max_length)
        self.separator = tokenizer.special.required("sep")  # stands between documents
        self.head = nn.Linear(backbone.dim, 1)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Rows:
        """Return the rows of a text; held-out rows are made in the same way here."""
        stream = TokenStream(tokens, self.separator)
        return Rows(stream, self.row_length, self.config.replace_rate)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predictions."""
        return {"replaced_tokens": batch.targets["replaced"].numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Return the summed loss, and how many predictions are right."""
        logits = self.head(states.last).squeeze(-1).float()  # (B, T)
        replaced = batch.targets["replaced"]
        loss = F.binary_cross_entropy_with_logits(logits, replaced.float(), reduction="sum")
        return {"replaced_tokens": Score(loss, ((logits > 0) == replaced).sum())}


class Rows(Examples):
    """Rows cut end to end from a text, some of whose tokens are replaced."""

    def __init__(self, stream: TokenStream, length: int, replace_rate: float) -> None:
        self.stream, self.replace_rate = stream, replace_rate
        self.length = min(length, len(stream))

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        """Return the starts of all rows, shuffled."""
        return rng.permutation(self.stream.row_starts(self.length, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        """All rows have the same length."""
        return None

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        """Read rows and replace tokens; a token may happen to be replaced by itself."""
        ids = self.stream.take(keys[:, None] + np.arange(self.length))  # (B, T)
        others = self.stream.take(rng.integers(len(self.stream), size=ids.shape))
        seen = np.where(rng.random(ids.shape) < self.replace_rate, others, ids)
        targets = {"replaced": torch.from_numpy(seen != ids)}
        return Batch(Inputs(torch.from_numpy(seen), visibility="full"), targets)
