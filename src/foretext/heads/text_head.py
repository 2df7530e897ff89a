"""What heads about whole texts have in common: a pooled text, answers, and next tokens beside them.

Which layers of a backbone a task reads: the last, or a learned mix (Peters et al. 2018, 3.2).

What may stand between states and the last layer of a task: linear, activation, norm. A masked
language model has it before its vocabulary, and ModernBERT (Warner et al. 2024) before the last
layer of every task, where it starts from the weights of pretraining.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from torch import Tensor, nn

from foretext.backbones.base import States
from foretext.base.config import Config
from foretext.base.errors import SettingError
from foretext.data.batch import Batch
from foretext.heads.answers import Answers
from foretext.heads.base import Head, TaskBase
from foretext.heads.next_tokens import NextTokens
from foretext.nn.feed_forward import ACTIVATIONS
from foretext.nn.pooling import POOLER_ACTIVATIONS, Pool, Pooling
from foretext.nn.scalar_mix import ScalarMix
from foretext.nn.vocabulary_head import HeadTransform, Score
from foretext.objectives.base import TaskHeads

__all__ = [
    "Layers",
    "TextHead",
    "TextPooler",
    "Transform",
    "default_layers",
    "default_pooling",
    "default_transform",
    "initialised_linear",
    "layer_mix",
    "made_transform",
]

# The last layer; a weighted sum of all, the embeddings among them; the same after a norm of each.
Layers = Literal["last", "mix", "normed_mix"]

Transform = Literal["none", "gelu", "gelu_tanh", "relu"]  # by its activation


class TextPooler(nn.Module):
    """Pools, then a layer of the first position where a backbone has one, then dropout.

    BERT's head (Devlin et al. 2019, 3.2) and GPT's (Radford et al. 2018, 3.2) both have this form,
    so that weights of other programs fit. ModernBERT has a transform in place of the layer (Warner
    et al. 2024).

    Args:
        base: whose states are pooled; the layer starts from its pooler, if it has one.
        pooling: None: as suits the base.
        dropout: of the vector.
        transform: of the vector before it.
        has_layer: whether there is such a layer, where the backbone has one.
    """

    def __init__(
        self,
        base: TaskBase,
        pooling: Pooling | None,
        dropout: float,
        transform: Transform = "none",
        *,
        has_layer: bool = True,
    ) -> None:
        super().__init__()
        kind, dim = pooling or default_pooling(base), base.head_dim
        self.pool = Pool(kind, dim)
        self.transform = made_transform(base, transform)
        traits = base.backbone.task_traits
        adds_pooler = has_layer and traits.adds_pooler and transform == "none"
        is_pooled = adds_pooler and kind == traits.pooler_on
        self.pooler = initialised_linear(base, dim, dim) if is_pooled else None
        self.activation = POOLER_ACTIVATIONS[traits.pooler_activation]
        self.dropout = nn.Dropout(dropout)
        if self.pooler is not None and base.pooler is not None:
            self.pooler.load_state_dict(base.pooler)

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return (B, D) of states (B, T, D).

        Args:
            states: (B, T, D).
            token_mask: (B, T), True where there is a token; None: everywhere.
        """
        pooled = self.pool(states, token_mask).to(states.dtype)
        if self.transform is not None:
            pooled = self.transform(pooled)
        if self.pooler is not None:
            pooled = self.activation(self.pooler(pooled))
        return cast(Tensor, self.dropout(pooled))


class TextHead(Head):
    """One answer an example and, by option, the next tokens of its rows."""

    answers: Answers
    head: TextPooler
    next_tokens: NextTokens | None
    repeats_inputs = True

    def __init__(self, config: Config, base: TaskBase, **found: Any) -> None:
        super().__init__(config, base, **found)
        self.next_tokens = None  # a class attribute would hide the module that replaces it

    @property
    def pooling(self) -> Pooling:  # type: ignore[override]
        """How the states of a row become one vector."""
        return self.head.pool.pooling

    @property
    def for_tasks(self) -> TaskHeads:
        """What stands between the states and the last layer."""
        pooler = self.head.pooler
        return TaskHeads(
            pooler=None if pooler is None else pooler.state_dict(), transform=self.head.transform
        )

    def counts(self, batch: Batch) -> Mapping[str, int]:
        """Return the number of examples and, with the auxiliary loss, of tokens."""
        counts = {self.name: len(batch)}
        if self.next_tokens is not None:
            counts["language_model"] = self.next_tokens.count(batch.inputs)
        return counts

    def scores(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score the answers and, with the auxiliary loss, the next tokens of all rows.

        Args:
            states: what the backbone made of the batch.
            batch: with its targets.
        """
        outputs = self.outputs(states, batch.inputs)
        own = self.answers.score(outputs, batch.targets[self.answers.target])
        return {self.name: own, **self.beside(states, batch)}

    def beside(self, states: States, batch: Batch) -> Mapping[str, Score]:
        """Score what is learned beside the answers: with the auxiliary loss, the next tokens.

        Args:
            states: what the backbone made of the batch.
            batch: with its targets.
        """
        if self.next_tokens is None:
            return {}
        return {"language_model": self.next_tokens.score(states, batch.inputs)}


def default_pooling(base: TaskBase, *, siamese: bool = False) -> Pooling:
    """Return the pooling that suits a base; `siamese`: vectors of two texts are compared."""
    if siamese and base.sentence_pooling is not None:
        return base.sentence_pooling
    return base.backbone.default_pooling(
        base.visibility, has_pooler=base.pooler is not None, siamese=siamese
    )


def initialised_linear(base: TaskBase, inner: int, outer: int, *, bias: bool = True) -> nn.Linear:
    """Return a linear layer on the states of a base, with the weights that suit its backbone.

    Args:
        base: whose spread the weights have.
        inner: numbers that enter.
        outer: numbers that leave.
        bias: whether there is one.
    """
    layer = nn.Linear(inner, outer, bias=bias)
    base.backbone.initialise_head(layer)
    return layer


def default_layers(base: TaskBase) -> Layers:
    """Return what suits a base: a mix where it stays as it was pretrained."""
    return "mix" if base.backbone.task_traits.feature_based else "last"


def layer_mix(base: TaskBase, layers: Layers) -> ScalarMix | None:
    """Return the weights of the layers, to be learned; None: the last layer alone is read.

    Raises:
        SettingError: the backbone has one layer only.
    """
    if layers == "last":
        return None
    backbone = base.backbone
    if backbone.num_mixed < 2:
        raise SettingError(
            f"[task] layers = '{layers}': {type(backbone).__name__} has one layer of this width, "
            "and a mix needs two; leave it out."
        )
    return ScalarMix(backbone.num_mixed, normed=layers == "normed_mix")


def default_transform(base: TaskBase) -> Transform:
    """Return what the authors of a base put there: nothing, or on pre-norm encoders a transform.

    A transform that was pretrained decides on the activation.
    """
    if base.visibility != "full" or not base.backbone.task_traits.adds_head_transform:
        return "none"
    learned = None if base.transform is None else base.transform.activation
    names: tuple[Transform, ...] = ("gelu", "gelu_tanh", "relu")
    return next((name for name in names if learned is ACTIVATIONS[name]), "gelu")


def made_transform(base: TaskBase, kind: Transform) -> HeadTransform | None:
    """Return the transform, with pretrained weights if the base has one of the same form.

    Raises:
        SettingError: the backbone has none.
    """
    if kind == "none":
        return None
    made = base.backbone.head_transform(kind)
    if base.transform is not None and _same_form(base.transform, made):
        made.load_state_dict(base.transform.state_dict())
    return made


def _same_form(learned: HeadTransform, made: HeadTransform) -> bool:
    return (
        learned.activation is made.activation
        and type(learned.norm) is type(made.norm)
        and learned.norm.eps == made.norm.eps
        and _shapes(learned) == _shapes(made)
    )


def _shapes(transform: HeadTransform) -> dict[str, tuple[int, ...]]:
    return {name: tuple(weight.shape) for name, weight in transform.state_dict().items()}
