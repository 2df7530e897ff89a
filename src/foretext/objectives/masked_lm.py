"""Masked language modelling, with next-sentence prediction or without (Devlin et al. 2019, 3.1).

Whole words (Cui et al. 2019) and n-grams of words, as in ERNIE's phrases (Sun et al. 2019), are
masked together by option. The head runs at the asked positions alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.config import Config
from foretext.data.batch import Batch, Visibility
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.nn.feed_forward import Activation
from foretext.nn.norm import NormKind
from foretext.nn.vocabulary_head import HeadTransform, Score, VocabularyHead, class_score
from foretext.objectives.base import Objective
from foretext.objectives.masked_rows import MaskedRows, Masking
from foretext.objectives.sentence_pairs import SentencePairs
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["MaskedLM"]


class MaskedLM(Objective):
    """Predicts tokens that were hidden and, by option, whether one text follows another.

    Args:
        config: the user's settings.
        backbone: whose states are scored.
        tokenizer: with `[CLS]`, `[SEP]`, `[MASK]` and `[PAD]`.
    """

    class Config(Config):
        """Settings of masked language modelling."""

        row_length: int | None = Field(None, ge=8)  # tokens of a row; None: the backbone's length
        mask_rate: float = Field(0.15, gt=0, lt=1)  # of the tokens, in training
        valid_mask_rate: float = Field(0.15, gt=0, lt=1)  # where the held-out loss is measured
        whole_words: bool = False  # the tokens of a word are masked together
        max_ngram: int = Field(1, ge=1, le=10)  # words masked together, at most
        next_sentence: bool = False
        pair_sentences: int | None = Field(None, ge=1)  # of each text; None: as a row holds
        tied: bool = True  # the head's weights are the token vectors
        activation: Activation = "gelu"  # of the head
        norm: NormKind = "layer"
        norm_eps: float = Field(1e-12, gt=0)
        bias: bool = True  # in the head's transform; the map to the vocabulary always has one

        @model_validator(mode="after")
        def _has_effect(self) -> MaskedLM.Config:
            if self.pair_sentences is not None and not self.next_sentence:
                raise ValueError("pair_sentences would have no effect without next_sentence")
            if self.max_ngram > 1 and not self.whole_words:
                raise ValueError("max_ngram counts words: set whole_words = true beside it")
            return self

    visibility: Visibility = "full"
    loss_law = "masked"

    def __init__(self, config: Config, backbone: Backbone, tokenizer: SubwordTokenizer) -> None:
        super().__init__()
        self.config = config
        self.tokenizer = tokenizer
        self.row_length = min(config.row_length or backbone.max_length, backbone.max_length)
        self.head = VocabularyHead(
            backbone.dim,
            backbone.vocab_size,
            transform=HeadTransform(
                backbone.dim,
                config.activation,
                config.norm,
                eps=config.norm_eps,
                bias=config.bias,
            ),
            tied=backbone.embedding if config.tied else None,
            bias=True,
        )
        self.next_sentence = NextSentence(backbone.dim) if config.next_sentence else None

    def examples(self, tokens: TokenFile, *, held_out: bool = False) -> Examples:
        """Cut rows or pairs from the text; they are masked anew each time they are read."""
        special, masking = self.tokenizer.special, self._masking(held_out)
        cls, sep = special.required("cls"), special.required("sep")
        if self.next_sentence is None:
            return MaskedRows(TokenStream(tokens, sep), self.row_length, cls, masking)
        frame = (cls, sep, special.required("pad"))
        return SentencePairs(tokens, self.row_length, self.config.pair_sentences, frame, masking)

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of hidden tokens, and of pairs."""
        counts = {"masked_lm": int(batch.targets["masked"].sum())}
        if "follows" in batch.targets:
            counts["next_sentence"] = len(batch)
        return counts

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the hidden tokens, and the pairs by the state of `[CLS]`."""
        places = batch.targets["masked"].flatten().nonzero()[:, 0]  # (M,)
        hidden = states.last.flatten(0, 1).index_select(0, places)  # (M, D)
        originals = batch.targets["original"].flatten().index_select(0, places)
        scores = {"masked_lm": self.head.score(hidden, originals)}
        if self.next_sentence is not None:
            logits = self.next_sentence(states.last)
            scores["next_sentence"] = class_score(logits, batch.targets["follows"])
        return scores

    def _masking(self, held_out: bool) -> Masking:
        config, tokenizer = self.config, self.tokenizer
        return Masking(
            config.valid_mask_rate if held_out else config.mask_rate,
            config.max_ngram,
            tokenizer.special.required("mask"),
            tokenizer.ordinary,
            tokenizer.word_starts if config.whole_words else None,
        )


class NextSentence(nn.Module):
    """A tanh layer on the first state, then two classes: a stranger, the successor."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.pooler = nn.Linear(dim, dim)
        self.classifier = nn.Linear(dim, 2)
        for layer in (self.pooler, self.classifier):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def forward(self, states: Tensor) -> Tensor:
        """Map states (B, T, D) to logits (B, 2)."""
        return self.classifier(torch.tanh(self.pooler(states[:, 0])))
