"""What every objective that fills masks has: settings, a head, and a word to show (Taylor 1953)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import Field, model_validator

from foretext.backbones.base import Backbone
from foretext.base.config import Config
from foretext.nn.feed_forward import Activation
from foretext.nn.norm import NormKind
from foretext.nn.vocabulary_head import HeadTransform, VocabularyHead
from foretext.objectives.base import ModelInUse

__all__ = ["ClozeConfig", "cloze_head", "hide_a_word", "hide_whole_word"]

NUM_ANSWERS = 3  # of a sample


class ClozeConfig(Config):
    """Settings of rows with masks, and of the head that fills them."""

    row_length: int | None = Field(None, ge=8)
    """Tokens of a row; none: the backbone's length."""
    mask_rate: float = Field(0.15, gt=0, lt=1)
    """Share of the tokens that are hidden in training."""
    valid_mask_rate: float = Field(0.15, gt=0, lt=1)
    """Share of the tokens that are hidden where the held-out loss is measured."""
    mask_token_rate: float = Field(0.8, ge=0, le=1)
    """Share of the hidden tokens that become the mask token."""
    random_token_rate: float = Field(0.1, ge=0, le=1)
    """Share of the hidden tokens that become a random token; the others stay as they are."""
    tied: bool = True
    """The head's weights are the token vectors."""
    activation: Activation = "gelu"
    """Activation of the head."""
    norm: NormKind = "layer"
    """Kind of the head's norm."""
    norm_eps: float = Field(1e-12, gt=0)
    """Number that the norm adds to the variance."""
    bias: bool = True
    """Bias of the head's transform; the map to the vocabulary always has one."""

    @model_validator(mode="after")
    def _shares_fit(self) -> ClozeConfig:
        replaced = self.mask_token_rate + self.random_token_rate
        if replaced > 1 + 1e-9:
            raise ValueError(
                f"mask_token_rate + random_token_rate = {replaced:g}: they are shares of the same "
                "tokens, 1 at most"
            )
        return self

    @property
    def replacements(self) -> tuple[float, float, float]:
        """Shares of the hidden tokens: the mask token, a random one, the token itself."""
        kept = 1 - self.mask_token_rate - self.random_token_rate
        return self.mask_token_rate, self.random_token_rate, max(kept, 0.0)


def cloze_head(config: ClozeConfig, backbone: Backbone) -> VocabularyHead:
    """Return BERT's head: a transform of the states, and a map to the tokens."""
    width = backbone.embedding.shape[1] if config.tied else backbone.dim
    return VocabularyHead(
        width,
        backbone.vocab_size,
        transform=HeadTransform(
            backbone.dim,
            config.activation,
            config.norm,
            eps=config.norm_eps,
            bias=config.bias,
            width=width,
        ),
        tied=backbone.embedding if config.tied else None,
        bias=True,
    )


def hide_a_word(model: ModelInUse, row: list[int]) -> Mapping[str, Any]:
    """Mask the word in the middle of a row, and fill it; see `Objective.sample`."""
    tokenizer = model.tokenizer
    words = np.flatnonzero((tokenizer.ordinary & tokenizer.word_starts)[row])
    hidden = int(words[len(words) // 2]) if len(words) else 0
    parts = [tokenizer.decode(row[:hidden]), "[MASK]", tokenizer.decode(row[hidden + 1 :])]
    text = " ".join(parts).strip()
    answers = model.fill(text, topn=NUM_ANSWERS)[0]
    return {
        "text": text,
        "hidden": tokenizer.tokens[row[hidden]],
        "answers": [[answer.token, round(answer.probability, 4)] for answer in answers],
    }


def hide_whole_word(model: ModelInUse, row: list[int]) -> Mapping[str, Any] | None:
    """Mask all tokens of the word in the middle of a row, and fill it; see `Objective.sample`.

    None for a row without a word.
    """
    tokenizer = model.tokenizer
    ordinary = tokenizer.ordinary[row]
    opens = ordinary & tokenizer.word_starts[row]
    words = np.flatnonzero(opens)
    if not len(words):
        return None
    first = int(words[len(words) // 2])
    behind = np.flatnonzero(opens | ~ordinary)  # the next word, or what is no text
    end = int(min((place for place in behind if place > first), default=len(row)))
    text = " ".join([tokenizer.decode(row[:first]), "[MASK]", tokenizer.decode(row[end:]).strip()])
    answers = model.fill(text.strip(), topn=NUM_ANSWERS)[0]
    return {
        "text": text.strip(),
        "hidden": tokenizer.decode(row[first:end]).strip(),
        "answers": [[answer.token, round(answer.probability, 4)] for answer in answers],
    }
