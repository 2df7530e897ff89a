"""From the states of a row to one vector: what tasks about whole texts have below their answers."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from foretext.heads.state_transform import Transform, made_transform
from foretext.heads.task_base import TaskBase
from foretext.nn.pooling import POOLER_ACTIVATIONS, Pool, Pooling

__all__ = ["TextPooler", "default_pooling", "initialised_linear"]


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
        kind, dim = pooling or default_pooling(base), base.backbone.dim
        self.pool = Pool(kind, dim)
        self.transform = made_transform(base, transform)
        adds_pooler = has_layer and base.backbone.adds_pooler and transform == "none"
        is_pooled = adds_pooler and kind == base.backbone.pooler_on
        self.pooler = initialised_linear(base, dim, dim) if is_pooled else None
        self.activation = POOLER_ACTIVATIONS[base.backbone.pooler_activation]
        self.dropout = nn.Dropout(dropout)
        if self.pooler is not None and base.pooler is not None:
            self.pooler.load_state_dict(base.pooler)

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return (B, D) of states (B, T, D)."""
        pooled = self.pool(states, token_mask).to(states.dtype)
        if self.transform is not None:
            pooled = self.transform(pooled)
        if self.pooler is not None:
            pooled = self.activation(self.pooler(pooled))
        return cast(Tensor, self.dropout(pooled))


def default_pooling(base: TaskBase, *, siamese: bool = False) -> Pooling:
    """Return the pooling that suits a base; `siamese`: vectors of two texts are compared."""
    if siamese and base.sentence_pooling is not None:
        return base.sentence_pooling
    return base.backbone.default_pooling(
        base.visibility, has_pooler=base.pooler is not None, siamese=siamese
    )


def initialised_linear(base: TaskBase, inner: int, outer: int, *, bias: bool = True) -> nn.Linear:
    """Return a linear layer on the states of a base, with the weights that suit its backbone."""
    layer = nn.Linear(inner, outer, bias=bias)
    base.backbone.initialise_head(layer)
    return layer
