"""One label or several for a text (Devlin et al. 2019, 4.1; Radford et al. 2018, 3.2; Kim 2014)."""

from __future__ import annotations

from pydantic import Field
from torch import Tensor

from foretext.backbones.base import States
from foretext.base.config import Config as Settings
from foretext.data.batch import Inputs, Needed
from foretext.data.rows.label import LabelValue, found_labels, named_labels
from foretext.heads.answers import Classes, LabelSets, class_answers
from foretext.heads.base import TaskBase
from foretext.heads.long_texts import LongTexts
from foretext.heads.next_tokens import NextTokens
from foretext.heads.text_head import (
    Layers,
    TextHead,
    TextPooler,
    Transform,
    default_layers,
    default_transform,
    initialised_linear,
    layer_mix,
)
from foretext.heads.word_logits import WordFeatureKind, WordLogits
from foretext.nn.pooling import Pooling

__all__ = ["ClassificationHead"]


class ClassificationHead(TextHead):
    """A linear map from a pooled text to labels.

    Args:
        config: the user's settings.
        base: tokenizer and backbone.
        labels: C names.
        multi_label: whether a text may have any number of them.
        counts: number of texts with each label.
        num_word_features: that the head reads beside the states; 0: it reads none.
        label_values: what the labels came as, where these are not their names.
    """

    class Config(Settings):
        """Settings of the head."""

        max_length: int = Field(512, ge=8)
        """Positions of a row, if the base allows as many."""
        long_texts: LongTexts = "head"
        """What is read of longer texts."""
        layers: Layers | None = None
        """Layers that the head reads; mix: weighted as is learned; none: as suits the base."""
        pooling: Pooling | None = None
        """How states become the vector of a text; none: as suits the base."""
        transform: Transform | None = None
        """Layer before the last one; none: no layer. By itself as suits the base."""
        dropout: float = Field(0.1, ge=0, lt=1)
        """Dropout of the pooled text."""
        bias: bool | None = None
        """Bias of the last layer; none: on all bases but a GPT, as transformers has it."""
        label_smoothing: float = Field(0.0, ge=0, lt=1)
        """Share of the right answer that goes to all labels in equal parts."""
        balanced: bool = False
        """Weigh rare labels more, so that all labels weigh the same."""
        word_features: WordFeatureKind = "none"
        """Features of words that the head reads beside the states; tfidf: as the linear model."""
        language_model_weight: float = Field(0.0, ge=0)
        """Weight of the auxiliary language-model loss, on a GPT."""

    name = "classification"
    answers: Classes | LabelSets

    def __init__(
        self,
        config: Config,
        base: TaskBase,
        *,
        labels: list[str],
        multi_label: bool = False,
        counts: list[int] | None = None,
        num_word_features: int = 0,
        label_values: list[LabelValue] | None = None,
    ) -> None:
        if num_word_features < 0:
            raise ValueError(f"num_word_features = {num_word_features} is below 0")
        words = {"num_word_features": num_word_features} if num_word_features else {}
        named = named_labels(labels, label_values)
        super().__init__(config, base, **found_labels(named), multi_label=multi_label, **words)
        known = {
            "labels": named,
            "multi_label": multi_label,
            "counts": counts or [1] * len(labels),
        }
        layers = config.layers or default_layers(base)
        self.mix = layer_mix(base, layers)
        transform = config.transform or default_transform(base)
        self.head = TextPooler(base, config.pooling, config.dropout, transform)
        self.answers = class_answers(
            known, smoothing=config.label_smoothing, balanced=config.balanced
        )
        bias = self.head.pool.pooling != "last" if config.bias is None else config.bias
        # A folder does not show what suits the base, so the choice is kept in it.
        chosen = {"pooling": self.head.pool.pooling, "transform": transform, "bias": bias}
        self.config = config.model_copy(update={**chosen, "layers": layers})
        self.classifier = initialised_linear(
            base, base.head_dim, self.answers.num_outputs, bias=bias
        )
        num_outputs = self.answers.num_outputs
        self.words = WordLogits(num_word_features, num_outputs) if num_word_features else None
        self.next_tokens = NextTokens.of(base, config.language_model_weight)

    @property
    def needed(self) -> Needed:
        """Which states of a row are read."""
        is_first = self.head.pool.pooling == "cls" and self.next_tokens is None
        return "first" if is_first else "all"

    def outputs(self, states: States, inputs: Inputs) -> Tensor:
        """Return logits (B, C)."""
        logits: Tensor = self.classifier(
            self.head(self.read(states, inputs), inputs.token_mask)
        ).float()
        return logits if self.words is None else logits + self.words(inputs)
