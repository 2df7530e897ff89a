"""The floating-point operations of a training step, and how many the machine can do.

The backbone gives its formula (`foretext.nn.flops`), and so does a network that an objective runs
beside it. A head counts at the positions where it
predicts; padding and what is computed twice do not count. What is done in a second, divided by what
could be done, is the utilization (MFU; Chowdhery et al. 2022, "PaLM", appendix B).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache

import torch

from foretext.data.batch import Batch
from foretext.nn.flops import matrix_flops
from foretext.training.model import Model

__all__ = ["ModelFlops", "peak_flops"]

PEAK_SECONDS = 0.1  # of measuring, for each size
PEAK_SIZES = {"cpu": (512, 1024), "cuda": (4096, 8192)}  # of the matrices that are multiplied


class ModelFlops:
    """Counts the operations of batches; frozen layers run forward only.

    Args:
        model: its parameters are frozen already where they are to be.
    """

    def __init__(self, model: Model) -> None:
        networks = model.objective.networks
        self.networks = [each.flops() for each in (model.backbone, *networks.values())]
        self.heads = {
            name: matrix_flops(head)
            for name, head in model.objective.named_children()
            if name not in networks
        }

    @property
    def holds(self) -> bool:
        """Whether all networks give a formula."""
        return None not in self.networks

    def of(self, batch: Batch, counts: Mapping[str, int], *, knows_states: bool = False) -> int:
        """Return the operations of a step, given how many predictions each part makes.

        A head without a part of its name works for the first one. 0 without a formula.

        Args:
            batch: of the step.
            counts: predictions of each part.
            knows_states: whether the heads work alone.
        """
        networks = [flops for flops in self.networks if flops is not None]
        if len(networks) < len(self.networks):
            return 0
        first = next(iter(counts.values()))
        heads = sum(flops * counts.get(name, first) for name, flops in self.heads.items())
        return heads if knows_states else heads + sum(flops.of(batch.inputs) for flops in networks)


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
