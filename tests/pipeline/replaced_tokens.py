"""An objective as somebody outside the package writes it: replaced-token detection in one file.

It has no more than is required: Config, constructor, `examples`, `counts` and `scores`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F
from pydantic import Field
from torch import nn

from foretext.backbones.base import Backbone, States
from foretext.config import Config
from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import Objective
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

LENGTH = 24


class ReplacedTokens(Objective):
    """Says of each token whether it was replaced by a random one."""

    class Config(Config):
        rate: float = Field(0.15, gt=0, lt=1)  # of the tokens that are replaced

    visibility = "full"

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__()
        self.config, self.tokenizer = config, tokenizer
        self.head = nn.Linear(backbone.dim, 1)

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        stream = TokenStream(tokens, self.tokenizer.special.required("sep"))
        return Rows(stream, self.config.rate, np.flatnonzero(self.tokenizer.ordinary))

    def counts(self, batch: Batch) -> Mapping[str, int]:
        return {"replaced": batch.inputs.ids.numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        logits, targets = self.head(states.last)[..., 0].float(), batch.targets["replaced"]
        loss = F.binary_cross_entropy_with_logits(logits, targets.float(), reduction="sum")
        return {"replaced": Score(loss, ((logits > 0) == targets).sum())}


class Rows:
    """Rows of the text with some of the tokens replaced."""

    def __init__(self, stream: TokenStream, rate: float, ordinary: np.ndarray) -> None:
        self.stream, self.rate, self.ordinary = stream, rate, ordinary
        self.length = min(LENGTH, len(stream))

    def keys(self, rng: np.random.Generator) -> np.ndarray:
        return rng.permutation(self.stream.row_starts(self.length, rng))

    def lengths(self, keys: np.ndarray) -> np.ndarray | None:
        return None

    def batch(self, keys: np.ndarray, rng: np.random.Generator) -> Batch:
        ids = self.stream.take(keys[:, None] + np.arange(self.length))
        replaced = rng.random(ids.shape) < self.rate
        seen = np.where(replaced, rng.choice(self.ordinary, ids.shape), ids)
        return Batch(Inputs(torch.from_numpy(seen)), {"replaced": torch.from_numpy(seen != ids)})
