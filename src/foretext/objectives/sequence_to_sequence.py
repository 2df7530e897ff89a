"""What every objective has that writes a text token by token after it has read another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field
from torch import Tensor, nn

from foretext.backbones.base import Backbone, States
from foretext.config import Config
from foretext.data.batch import Batch, Visibility
from foretext.nn.token_head import Score
from foretext.nn.vocabulary_head import VocabularyHead
from foretext.objectives.base import Objective, TaskHeads, check_tied, row_length
from foretext.objectives.reading import Reading
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["SequenceConfig", "SequenceToSequence", "next_token_head"]


class SequenceConfig(Config):
    """Settings of rows, and of the head that predicts the next token."""

    row_length: int | None = Field(None, ge=8)
    """Tokens of a row; none: the backbone's length."""
    tied: bool = True
    """The head's weights are the token vectors."""
    scale_states: bool = False
    """Divide states by the root of their width before the head (T5 1.0)."""


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
    part: str  # name of the loss
    row_length: int
    end: int

    def __init__(
        self, config: SequenceConfig, backbone: Backbone, tokenizer: SubwordTokenizer
    ) -> None:
        super().__init__(config, backbone, tokenizer)
        self.tokenizer = tokenizer
        self.row_length = row_length(config.row_length, backbone)
        self.end = tokenizer.special.required("end")
        self.head = next_token_head(config, backbone)

    @property
    def start(self) -> int:
        """The id that the decoder reads before the first token."""
        return self.tokenizer.special.required("pad")

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

    def reading(self, source: Sequence[int] | None = None) -> Reading:
        """Return how a text is written: after the source and its end, from the start token on."""
        return Reading((self.start,), source=(*(source or ()), self.end), never=(self.start,))

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of predicted tokens."""
        return {self.part: batch.targets["next"].numel()}

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the next token at every position."""
        hidden = states.last.flatten(0, 1)  # (B T, D)
        return {self.part: self.head.score(hidden, batch.targets["next"].flatten())}


def next_token_head(config: SequenceConfig, backbone: Backbone) -> VocabularyHead:
    """Return a map from states to tokens, without an additive part."""
    scale: float = backbone.dim**-0.5
    return VocabularyHead(
        backbone.dim,
        backbone.vocab_size,
        transform=Scale(scale) if config.scale_states else None,
        tied=backbone.embedding if config.tied else None,
        bias=False,
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
