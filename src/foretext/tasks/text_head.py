"""From a row's states to one vector: what tasks about whole texts have under their answers."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from foretext.backbones.transformer import Transformer
from foretext.nn.pooling import Pool, Pooling
from foretext.tasks.state_transform import Transform, made_transform
from foretext.tasks.task_base import TaskBase

__all__ = ["TextHead", "initialised_linear", "natural_pooling"]

INIT_STD = 0.02  # as of the Transformer's weights


class TextHead(nn.Module):
    """Pools, then a layer with tanh where a Transformer's first position is pooled, then dropout.

    What BERT has there (Devlin et al. 2019, 3.2) and what GPT has (Radford et al. 2018, 3.2) are
    both of this form, so that other programs' weights fit. ModernBERT has a transform in place of
    the layer (Warner et al. 2024).

    Args:
        body: whose states are pooled; the layer starts from its pooler, if it has one.
        pooling: None is what suits the body.
        dropout: of the vector.
        transform: of the vector before it.
    """

    def __init__(
        self,
        body: TaskBase,
        pooling: Pooling | None,
        dropout: float,
        transform: Transform = "none",
    ) -> None:
        super().__init__()
        kind, dim = pooling or natural_pooling(body), body.backbone.dim
        self.pool = Pool(kind, dim)
        self.transform = made_transform(body, transform)
        bare = kind == "cls" and isinstance(body.backbone, Transformer) and transform == "none"
        self.pooler = initialised_linear(body, dim, dim) if bare else None
        self.dropout = nn.Dropout(dropout)
        if self.pooler is not None and body.pooler is not None:
            self.pooler.load_state_dict(body.pooler)

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return (B, D) of states (B, T, D)."""
        pooled = self.pool(states, token_mask).to(states.dtype)
        if self.transform is not None:
            pooled = self.transform(pooled)
        if self.pooler is not None:
            pooled = torch.tanh(self.pooler(pooled))
        return cast(Tensor, self.dropout(pooled))


def natural_pooling(body: TaskBase) -> Pooling:
    """Return how GPT's and BERT's authors pool; the largest of each feature elsewhere.

    The first position of a masked language model says something of the text only where the next
    sentence was predicted from it; without that the mean over all positions is better.
    """
    if not isinstance(body.backbone, Transformer):
        return "max"
    if body.visibility == "causal":
        return "last"
    return "mean" if body.pooler is None else "cls"


def initialised_linear(body: TaskBase, inner: int, outer: int, *, bias: bool = True) -> nn.Linear:
    """Return a linear layer on a body, without bias yet.

    Weights are from N(0, 0.02²), as a Transformer's; others' states are small, and such weights
    would leave them so for long: there they are Glorot's (Ma & Hovy 2016, 3.1).
    """
    layer = nn.Linear(inner, outer, bias=bias)
    if isinstance(body.backbone, Transformer):
        nn.init.normal_(layer.weight, std=INIT_STD)
    else:
        nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
