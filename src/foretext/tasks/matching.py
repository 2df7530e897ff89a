"""What two texts are to each other: a label, or a score of their likeness.

Both in one row (Devlin et al. 2019, 4.1), in either order (Radford et al. 2018, 3.3), or each by
itself (Reimers & Gurevych 2019, 3).
"""

from __future__ import annotations

from typing import Any, Literal

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.backbones.transformer import Transformer
from foretext.config import Config
from foretext.data.batch import Inputs
from foretext.errors import SettingError
from foretext.nn.pooling import Pooling
from foretext.tasks.answers import Classes, RealNumber, answers_of
from foretext.tasks.next_tokens import NextTokens
from foretext.tasks.shared_tokens import tell_shared_tokens
from foretext.tasks.state_transform import Transform, natural_transform
from foretext.tasks.task_base import TaskBase
from foretext.tasks.text_head import TextHead, initialised_linear
from foretext.tasks.text_task import TextTask

__all__ = ["MatchMode", "Matching", "match_mode"]

# Both texts in one row; rows (a, b) and (b, a), whose vectors are added; a row for each text.
MatchMode = Literal["pair", "both_orders", "siamese"]


class Matching(TextTask):
    """A linear map from what is known of both texts to labels or a score.

    Siamese labels come from [u, v, |u - v|], a siamese score is the cosine of u and v.

    Args:
        config: the user's settings.
        body: whose states are read.
        labels: C names; None: pairs have scores.
        counts: pairs of each label in the rows learned from.
        lowest, highest: range of the scores learned from, in the user's scale.
    """

    class Config(Config):
        """Settings of the head."""

        mode: MatchMode | None = None  # None: as suits the body
        max_length: int = Field(512, ge=8)  # positions of a row, if the body has as many
        shared_tokens: bool = False  # both in one row: tell the body which tokens stand in both
        pooling: Pooling | None = None  # None: as suits the body; siamese Transformers: the mean
        transform: Transform | None = None  # None: as suits the body; siamese: none
        dropout: float = Field(0.1, ge=0, lt=1)  # of what is known of both texts
        bias: bool = True
        label_smoothing: float = Field(0.0, ge=0, lt=1)
        balanced: bool = False  # rare labels weigh more, so that all weigh the same together
        language_model_weight: float = Field(0.0, ge=0)  # GPT: of the auxiliary loss

    name = "matching"

    def __init__(
        self,
        config: Config,
        body: TaskBase,
        *,
        labels: list[str] | None = None,
        counts: list[int] | None = None,
        lowest: float = 0.0,
        highest: float = 1.0,
    ) -> None:
        super().__init__()
        self.visibility = body.visibility
        self.mode = match_mode(config, body)
        if config.shared_tokens:
            _check_one_row(self.mode)
            tell_shared_tokens(body)
        self.is_cosine = labels is None and self.mode == "siamese"
        _check_effect(config, has_scores=labels is None, is_cosine=self.is_cosine)
        self.answers: Classes | RealNumber
        if labels is None:
            self.found: dict[str, Any] = {"lowest": lowest, "highest": highest}
            self.answers = RealNumber(lowest, highest)
        else:
            self.found = {"labels": list(labels)}
            self.answers = _classes(config, labels, counts)
        siamese_mean = self.mode == "siamese" and isinstance(body.backbone, Transformer)
        pooling: Pooling | None = config.pooling or ("mean" if siamese_mean else None)
        natural = "none" if self.mode == "siamese" else natural_transform(body)
        transform = config.transform or natural
        self.head = TextHead(body, pooling, dropout=0.0, transform=transform)
        # What suits the body is no longer to be seen once it is kept: it is kept, too.
        suited = {"pooling": self.head.pool.pooling, "transform": transform, "mode": self.mode}
        self.config = config.model_copy(update=suited)
        self.dropout = nn.Dropout(config.dropout)
        width = body.backbone.dim * (3 if self.mode == "siamese" else 1)
        self.classifier = (
            None
            if self.is_cosine
            else initialised_linear(body, width, self.answers.num_outputs, bias=config.bias)
        )
        self.next_tokens = NextTokens.of(body, config.language_model_weight)

    @property
    def group(self) -> int:
        """Rows of an example."""
        return 1 if self.mode == "pair" else 2

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return logits (B / group, C), or scores (B / group, 1) scaled as `RealNumber` says."""
        pooled = self.head(states.last, inputs.token_mask)  # (B, D)
        pairs = pooled.unflatten(0, (-1, self.group))  # (B / group, group, D)
        if self.classifier is None:
            return F.cosine_similarity(*pairs.float().unbind(1)).unsqueeze(-1)
        both = _compared(*pairs.unbind(1)) if self.mode == "siamese" else pairs.sum(1)
        logits: Tensor = self.classifier(self.dropout(both)).float()
        return logits


def match_mode(config: Matching.Config, body: TaskBase) -> MatchMode:
    """Return how both texts are read: what is set, or what suits the body.

    Raises:
        SettingError: both texts shall stand in one row, and no token can stand between them.
    """
    parts = bool(body.framing(config.max_length).between)
    if config.mode is None:
        if not parts:
            return "siamese"
        return "both_orders" if body.visibility == "causal" else "pair"
    if config.mode != "siamese" and not parts:
        raise SettingError(
            f"[task] mode = '{config.mode}': the base has no token to put between two texts in "
            "one row; take mode = 'siamese'."
        )
    return config.mode


def _compared(u: Tensor, v: Tensor) -> Tensor:
    """[u, v, |u - v|], (N, 3 D)."""
    return torch.cat([u, v, (u - v).abs()], -1)


def _classes(config: Matching.Config, labels: list[str], counts: list[int] | None) -> Classes:
    known = {"labels": labels, "counts": counts or [1] * len(labels)}
    answers = answers_of(known, smoothing=config.label_smoothing, balanced=config.balanced)
    assert isinstance(answers, Classes), "a pair has one label"
    return answers


def _check_one_row(mode: MatchMode) -> None:
    if mode == "siamese":
        raise SettingError(
            "[task] shared_tokens needs both texts in one row, and mode = 'siamese' reads each by "
            "itself; leave one of the two out."
        )


def _check_effect(config: Matching.Config, *, has_scores: bool, is_cosine: bool) -> None:
    """Refuse settings that scores do not heed."""
    idle = {"label_smoothing", "balanced"} if has_scores else set()
    idle |= {"dropout", "bias"} if is_cosine else set()
    if found := idle & config.changed:
        what = "the cosine of two texts" if is_cosine else "scores"
        raise SettingError(
            f"[task] {min(found)} would have no effect on {what}; leave it at its default."
        )
