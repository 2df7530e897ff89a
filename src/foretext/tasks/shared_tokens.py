"""Which tokens stand in both of two texts: what a small network hardly finds by attention alone.

The exact match of Chen et al. 2017 ("Reading Wikipedia to Answer Open-Domain Questions", 3.2), told
to a Transformer where it is told which text a token is of: as two further kinds of segments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.backbones.transformer import Transformer
from foretext.data.framing import Framing
from foretext.errors import SettingError
from foretext.tasks.task_base import TaskBase

__all__ = ["shared_tokens", "tell_shared_tokens"]

NUM_TEXTS = 2
NUM_KINDS = 2 * NUM_TEXTS  # of the first text, of the second; the same, of tokens in both
SCALE = 0.5  # of the drawn vector, beside those of tokens: what begins at 0 is learned too slowly


@torch.no_grad()
def tell_shared_tokens(body: TaskBase) -> None:
    """Have a body see tokens that stand in both texts as others: by a vector that is drawn.

    A body that sees them already stays as it is.

    Raises:
        SettingError: the body is no Transformer, and has no kinds of tokens.
    """
    backbone = body.backbone
    if not isinstance(backbone, Transformer):
        raise SettingError(
            f"[task] shared_tokens is told to a Transformer, and the base is a "
            f"{type(backbone).__name__}; leave it out."
        )
    if backbone.config.num_segments >= NUM_KINDS:
        return
    tokens = backbone.embedding
    vectors = tokens.new_zeros(NUM_TEXTS, backbone.dim)
    if backbone.segments is not None:
        vectors += backbone.segments.weight[:NUM_TEXTS]  # a single one is of both texts
    drawn = torch.randn(backbone.dim).to(tokens) * SCALE * tokens.std()
    backbone.replace_segments(torch.cat([vectors, vectors + drawn]))


def shared_tokens(
    framing: Framing,
    first: Sequence[int] | NDArray[np.integer],
    second: Sequence[int] | NDArray[np.integer],
) -> NDArray[np.int64]:
    """Return 1 where a token of a framed row stands in both its texts, else 0, (T,).

    What stands around the texts is of neither.
    """
    parts = (
        np.zeros(len(framing.prefix), np.bool_),
        np.isin(first, second),
        np.zeros(len(framing.between), np.bool_),
        np.isin(second, first),
        np.zeros(len(framing.suffix), np.bool_),
    )
    return np.concatenate(parts).astype(np.int64)
