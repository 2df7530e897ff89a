"""How rows are cut into batches where a network infers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from foretext.backbones.base import Backbone
from foretext.data.length_batches import length_batches
from foretext.data.token_batches import token_batches

__all__ = ["inference_batches"]


def inference_batches(
    backbone: Backbone, lengths: Sequence[int], batch_tokens: Mapping[str, int]
) -> list[list[int]]:
    """Return the indices of the rows of each batch, the longest rows first.

    Args:
        backbone: that reads them.
        lengths: of the rows.
        batch_tokens: of a batch, at most, by the type of a device; others have as many as a CPU.
    """
    device = backbone.embedding.device.type
    most = batch_tokens.get(device, batch_tokens["cpu"])
    if device == "cpu" and backbone.unpads:
        return token_batches(lengths, most, torch.get_num_threads())
    return length_batches(lengths, most)
