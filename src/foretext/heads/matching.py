"""How two texts are related: a label, or a score of their similarity.

Both in one row (Devlin et al. 2019, 4.1), in either order (Radford et al. 2018, 3.3), or each by
itself (Reimers & Gurevych 2019, 3).
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.base.errors import SettingError
from foretext.corpus.pre_tokenizers import PreTokenizerKind
from foretext.data.batch import Inputs
from foretext.data.overlap_features import NUM_OVERLAP_FEATURES
from foretext.data.rows.label import LabelValue, found_labels, named_labels
from foretext.heads.answers import Classes, RealNumber, balanced_weights
from foretext.heads.base import TaskBase
from foretext.heads.next_tokens import NextTokens
from foretext.heads.shared_tokens import SharedTokens, mark_shared_tokens, marks_shared
from foretext.heads.text_head import (
    Layers,
    TextHead,
    TextPooler,
    Transform,
    default_layers,
    default_pooling,
    default_transform,
    initialised_linear,
    layer_mix,
)
from foretext.heads.word_logits import PairFeatureKind, WordLogits
from foretext.nn.pooling import Pooling

__all__ = ["MatchMode", "MatchingHead", "match_mode", "shares_marked"]

# Both texts in one row; two rows, (a, b) and (b, a), with added vectors; a row for each text.
MatchMode = Literal["pair", "both_orders", "siamese"]


class MatchingHead(TextHead):
    """A linear map from the vectors of both texts to labels or a score.

    Siamese labels come from [u, v, |u - v|], a siamese score is the cosine of u and v.

    Args:
        config: the user's settings.
        base: tokenizer and backbone.
        labels: C names; None: pairs have scores.
        counts: number of pairs with each label.
        lowest, highest: range of the scores in the training rows.
        pair_words: what a word is, where the head reads which of them both texts have; None: it
            does not.
        pair_words_edition: of the rules of these words.
    """

    class Config(Settings):
        """Settings of the head."""

        mode: Literal["auto"] | MatchMode = "auto"
        """How two texts meet; auto: as suits base and rows."""
        max_length: int = Field(512, ge=8)
        """Positions of a row, if the base allows as many."""
        shared_tokens: SharedTokens = "auto"
        """Mark the tokens that both texts of a row have."""
        layers: Layers | None = None
        """Layers that the head reads; mix: weighted as is learned; none: as suits the base."""
        pooling: Pooling | None = None
        """How states become the vector of a text; none: as suits the base."""
        transform: Transform | None = None
        """Layer before the last one; none: no layer. By itself as suits the base."""
        dropout: float = Field(0.1, ge=0, lt=1)
        """Dropout of the vector of both texts."""
        bias: bool = True
        """Whether the last layer has a bias."""
        label_smoothing: float = Field(0.0, ge=0, lt=1)
        """Share of the right answer that goes to all labels in equal parts."""
        balanced: bool = False
        """Weigh rare labels more, so that all labels weigh the same."""
        word_features: PairFeatureKind = "none"
        """Features of both texts that the head reads; overlap: the words that both have."""
        language_model_weight: float = Field(0.0, ge=0)
        """Weight of the auxiliary language-model loss, on a GPT."""

    name = "matching"

    def __init__(
        self,
        config: Config,
        base: TaskBase,
        *,
        labels: list[str] | None = None,
        counts: list[int] | None = None,
        lowest: float = 0.0,
        highest: float = 1.0,
        pair_words: PreTokenizerKind | None = None,
        pair_words_edition: Literal[1, 2] = 1,
        label_values: list[LabelValue] | None = None,
    ) -> None:
        has_scores = labels is None
        named = named_labels(labels or (), label_values)
        found: dict[str, Any] = found_labels(named)
        if has_scores:
            found = {"lowest": lowest, "highest": highest}
        if pair_words is not None:
            _check_pair_words(pair_words)
            found |= {"pair_words": pair_words, "pair_words_edition": pair_words_edition}
        super().__init__(config, base, **found)
        self.mode = match_mode(config, base, has_scores=has_scores)
        siamese = self.mode == "siamese"
        self.group = 1 if self.mode == "pair" else 2
        self.marks_tokens = shares_marked(config, base, self.mode)
        if self.marks_tokens:
            mark_shared_tokens(base)
        self.is_cosine = has_scores and siamese
        _check_effect(config, has_scores=has_scores, is_cosine=self.is_cosine)
        self.answers: Classes | RealNumber
        if labels is None:
            self.answers = RealNumber(lowest, highest)
        else:
            weights = balanced_weights(counts or [1] * len(labels)) if config.balanced else None
            self.answers = Classes(named, config.label_smoothing, weights)
        layers = config.layers or default_layers(base)
        self.mix = layer_mix(base, layers)
        pooling = config.pooling or default_pooling(base, siamese=siamese)
        transform = config.transform or ("none" if siamese else default_transform(base))
        # As in Sentence-BERT, no layer stands between the states and the cosine.
        self.head = TextPooler(
            base, pooling, dropout=0.0, transform=transform, has_layer=not self.is_cosine
        )
        # A folder does not show what suits the base, so the choice is kept in it.
        self.config = config.model_copy(
            update={
                "layers": layers,
                "pooling": pooling,
                "transform": transform,
                "mode": self.mode,
                "shared_tokens": self.marks_tokens,
            }
        )
        self.dropout = nn.Identity() if self.is_cosine else nn.Dropout(config.dropout)
        width = base.head_dim * (3 if siamese else 1)
        self.classifier = (
            None
            if self.is_cosine
            else initialised_linear(base, width, self.answers.num_outputs, bias=config.bias)
        )
        self.words = (
            None
            if pair_words is None
            else WordLogits(NUM_OVERLAP_FEATURES, self.answers.num_outputs)
        )
        self.next_tokens = NextTokens.of(base, config.language_model_weight)

    @property
    def sentence_pooling(self) -> Pooling | None:  # type: ignore[override]
        """The pooling of the vectors whose cosine is the score."""
        return self.pooling if self.is_cosine else None

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return logits (B / group, C), or scores (B / group, 1) scaled as `RealNumber` says."""
        pooled = self.head(self.read(states, inputs), inputs.token_mask)  # (B, D)
        pairs = pooled.unflatten(0, (-1, self.group))  # (B / group, group, D)
        if self.classifier is None:
            return F.cosine_similarity(*pairs.float().unbind(1)).unsqueeze(-1)
        both = _compared(*pairs.unbind(1)) if self.mode == "siamese" else pairs.sum(1)
        logits: Tensor = self.classifier(self.dropout(both)).float()
        if self.words is None:
            return logits
        return logits + self.words(inputs)[:: self.group]  # each row of a pair has them


def match_mode(config: MatchingHead.Config, base: TaskBase, *, has_scores: bool) -> MatchMode:
    """Return how both texts are read: as set, or as suits the base.

    A sentence encoder has learned to compare the vectors of two texts, and a score is such a
    comparison: another head forgets more of it than a few thousand pairs teach. Labels, such as
    those of inference, are more than similarity, so that both texts are read together for them.

    Args:
        config: the user's settings.
        base: tokenizer and backbone.
        has_scores: whether pairs have scores, not labels.

    Raises:
        SettingError: both are to stand in one row, and the base has no token to separate them.
    """
    reads_pairs = base.reads_pairs(config.max_length)
    if config.mode == "auto":
        compares = has_scores and base.sentence_pooling is not None
        if not reads_pairs or (compares and config.shared_tokens is not True):
            return "siamese"
        return "both_orders" if base.visibility == "causal" else "pair"
    if config.mode != "siamese" and not reads_pairs:
        raise SettingError(
            f"[task] mode = '{config.mode}': the base has no token to separate two texts in "
            "one row; use mode = 'siamese'."
        )
    return config.mode


def _compared(u: Tensor, v: Tensor) -> Tensor:
    """[u, v, |u - v|], (N, 3 D)."""
    return torch.cat([u, v, (u - v).abs()], -1)


def shares_marked(config: MatchingHead.Config, base: TaskBase, mode: MatchMode) -> bool:
    """Return whether tokens that both texts have are marked: as set, or as suits the base.

    Raises:
        SettingError: they are to be marked, and each text is read alone.
    """
    if mode != "siamese":
        return marks_shared(config.shared_tokens, base)
    if config.shared_tokens is True:
        raise SettingError(
            "[task] shared_tokens needs both texts in one row, and mode = 'siamese' reads each "
            "alone; leave one of the two out."
        )
    return False


def _check_pair_words(kind: str) -> None:
    """Refuse what was never found in rows: a folder may say anything."""
    if kind not in get_args(PreTokenizerKind):
        raise ValueError(f"pair_words = {kind!r} is not one of {get_args(PreTokenizerKind)}")


def _check_effect(config: MatchingHead.Config, *, has_scores: bool, is_cosine: bool) -> None:
    """Refuse settings that have no effect on scores."""
    idle = {"label_smoothing", "balanced", "word_features"} if has_scores else set()
    idle |= {"dropout", "bias"} if is_cosine else set()
    if found := idle & config.changed:
        what = "the cosine of two texts" if is_cosine else "scores"
        raise SettingError(
            f"[task] {min(found)} would have no effect on {what}; leave it at its default."
        )
