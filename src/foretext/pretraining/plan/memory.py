"""What a training needs of memory, and what there is.

Weights are kept five times over: float32 masters, two moments and gradients, and what is computed
with. Processes that share the optimizer's memory (`training.sharding`) keep weights and their
gradients whole, and of the rest a share each.
"""

from __future__ import annotations

import torch

from foretext.base.runtime import free_memory_share
from foretext.training.activations import activation_bytes

__all__ = ["free_bytes", "training_bytes"]

WEIGHT_BYTES = 20  # master, moments, gradient: 4 each; copy and its gradient: 2 each
WHOLE_BYTES = 4  # where processes share: weights and their gradients in 16-bit numbers
SHARED_BYTES = 20  # and what they part: masters, moments, sums of gradients
LOGIT_BYTES = 1 << 27  # the chunks that logits come in, and the like
PROGRAM_BYTES = 600 << 20  # Python, PyTorch and its buffers


def training_bytes(
    parameters: int,
    num_layers: int,
    dim: int,
    tokens: int,
    dtype: torch.dtype,
    *,
    sharers: int = 1,
) -> int:
    """Return the bytes that a process of a training takes, about.

    Args:
        parameters: weights.
        num_layers: of the backbone.
        dim: of a position.
        tokens: that are computed at a time.
        dtype: that they are computed in.
        sharers: processes that share the optimizer's memory.
    """
    activations = activation_bytes(num_layers, dim, tokens, dtype)
    shared = WHOLE_BYTES * dtype.itemsize // 2 + SHARED_BYTES / sharers
    weights = WEIGHT_BYTES if sharers == 1 else min(shared, WEIGHT_BYTES)
    return PROGRAM_BYTES + LOGIT_BYTES + round(parameters * weights) + activations


def free_bytes(device: torch.device) -> int | None:
    """Return the bytes that a process could have, or None where the system does not say.

    Processes of one training that share a machine's memory have a part of it each.
    """
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return free_memory_share()
