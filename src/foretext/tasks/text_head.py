"""From a row's states to one vector: what tasks about whole texts have under their answers."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from foretext.backbones.transformer import Transformer
from foretext.nn.pooling import Pool, Pooling
from foretext.tasks.body import TextBody

__all__ = ["TextHead", "drawn_linear", "natural_pooling"]

INIT_STD = 0.02  # as of the Transformer's weights


class TextHead(nn.Module):
    """Pools, then a layer with tanh where a Transformer's first position is pooled, then dropout.

    What BERT has there (Devlin et al. 2019, 3.2) and what GPT has (Radford et al. 2018, 3.2) are
    both of this form, so that other programs' weights fit.

    Args:
        body: whose states are pooled; the layer starts from its pooler, if it has one.
        pooling: None is what suits the body.
        dropout: of the vector.
    """

    def __init__(self, body: TextBody, pooling: Pooling | None, dropout: float) -> None:
        super().__init__()
        kind, dim = pooling or natural_pooling(body), body.backbone.dim
        self.pool = Pool(kind, dim)
        has_layer = kind == "cls" and isinstance(body.backbone, Transformer)
        self.pooler = drawn_linear(dim, dim) if has_layer else None
        self.dropout = nn.Dropout(dropout)
        if self.pooler is not None and body.pooler is not None:
            self.pooler.load_state_dict(body.pooler)

    def forward(self, states: Tensor, token_mask: Tensor | None) -> Tensor:
        """Return (B, D) of states (B, T, D)."""
        pooled = self.pool(states, token_mask).to(states.dtype)
        if self.pooler is not None:
            pooled = torch.tanh(self.pooler(pooled))
        return cast(Tensor, self.dropout(pooled))


def natural_pooling(body: TextBody) -> Pooling:
    """Return how BERT's and GPT's authors pool; the largest of each feature elsewhere."""
    if not isinstance(body.backbone, Transformer):
        return "max"
    return "last" if body.visibility == "causal" else "cls"


def drawn_linear(inner: int, outer: int, *, bias: bool = True) -> nn.Linear:
    """Return a linear layer with weights from N(0, 0.02²) and no bias yet."""
    layer = nn.Linear(inner, outer, bias=bias)
    nn.init.normal_(layer.weight, std=INIT_STD)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
