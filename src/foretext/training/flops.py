"""How much arithmetic a step of a Transformer asks for, and how much the machine can do.

A matrix of N numbers takes 6 N operations a token, 2 forwards and 4 backwards; attention takes
12 L D T (Chowdhery et al. 2022, "PaLM", appendix B). The head counts where it is asked alone,
padding and what is computed twice do not count. What is done in a second, over what could be done,
is the utilization (MFU).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache

import torch
from torch import nn

from foretext.data.batch import Batch
from foretext.nn.attention import SelfAttention
from foretext.training.model import Model

__all__ = ["ModelFlops", "peak_flops"]

PASSES = 3  # forwards, and twice as much backwards
PEAK_SECONDS = 0.1  # of measuring, for each size
PEAK_SIZES = {"cpu": (512, 1024), "cuda": (4096, 8192)}  # of the matrices that are multiplied


class ModelFlops:
    """Counts the operations of batches; frozen layers go forwards alone.

    Args:
        model: its parameters are frozen already where they are to be.
    """

    def __init__(self, model: Model) -> None:
        blocks = _attention_blocks(model.backbone)
        self.per_token = sum(_flops(block) for block in blocks)
        self.per_pair = sum(4 * model.backbone.dim * _passes(block) for block in blocks)  # of T × T
        self.heads = dict(model.objective.named_children()) if blocks else {}

    @property
    def holds(self) -> bool:
        """Whether the formula is that of this model: it is a Transformer."""
        return self.per_token > 0

    def of(self, batch: Batch, counts: Mapping[str, int]) -> int:
        """Return the operations of a step, given how many predictions each part makes.

        A head without a part of its name works for the first one. 0 where the formula is another.
        """
        if not self.holds:
            return 0
        ids, token_mask = batch.inputs.ids, batch.inputs.token_mask
        lengths = (
            torch.full(ids.shape[:1], ids.shape[1]) if token_mask is None else token_mask.sum(1)
        )
        backbone = self.per_token * int(lengths.sum()) + self.per_pair * int((lengths**2).sum())
        first = next(iter(counts.values()))
        return backbone + sum(
            _flops(head) * counts.get(name, first) for name, head in self.heads.items()
        )


@cache
def peak_flops(device: torch.device, dtype: torch.dtype, num_threads: int) -> float:
    """Return the operations a second of products of large matrices, the best of some.

    Args:
        device: where.
        dtype: of the matrices.
        num_threads: that torch uses now on a CPU.
    """
    sizes = PEAK_SIZES.get(device.type, PEAK_SIZES["cpu"])
    return max(2 * size**3 / _least_seconds(size, device, dtype) for size in sizes)


def _least_seconds(size: int, device: torch.device, dtype: torch.dtype) -> float:
    """Return the time of one product where nothing else kept the machine busy."""
    matrix = torch.ones(size, size, dtype=dtype, device=device)
    began = time.perf_counter()
    _seconds(matrix)  # the first one makes ready
    least = _seconds(matrix)
    while time.perf_counter() - began < PEAK_SECONDS:
        least = min(least, _seconds(matrix))
    return least


def _seconds(matrix: torch.Tensor) -> float:
    """Multiply, wait for the end, and say how long it took."""
    start = time.perf_counter()
    product = matrix @ matrix
    product[0, 0].item()
    return time.perf_counter() - start


def _attention_blocks(backbone: nn.Module) -> list[nn.Module]:
    blocks = list(getattr(backbone, "blocks", ()))
    return [b for b in blocks if any(isinstance(part, SelfAttention) for part in b.modules())]


def _matrices(module: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in module.parameters() if parameter.dim() == 2]


def _passes(module: nn.Module) -> int:
    return PASSES if any(parameter.requires_grad for parameter in module.parameters()) else 1


def _flops(module: nn.Module) -> int:
    """Of one token that goes through a module's matrices."""
    return 2 * _passes(module) * sum(matrix.numel() for matrix in _matrices(module))
