"""The floating-point operations of a training step, and how many the machine can do.

The backbone gives its formula (`foretext.nn.flops`), and so does a network that an objective runs
beside it. A head counts at the positions where it
predicts; padding and what is computed twice do not count. What is done in a second, divided by what
could be done, is the utilization (MFU; Chowdhery et al. 2022, "PaLM", appendix B).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import torch
from torch import nn

from foretext.base.errors import SettingError
from foretext.base.runtime import MEMORY_SIGNS, refuse_without_memory
from foretext.data.batch import Batch
from foretext.messages import message
from foretext.nn.flops import Flops, matrix_flops
from foretext.training.batches import Part
from foretext.training.frozen_states import FrozenStates
from foretext.training.model import Model
from foretext.training.processes import Processes, Totals
from foretext.training.settings import TrainingConfig

__all__ = [
    "ModelFlops",
    "Work",
    "WorkCounter",
    "advised_on_memory",
    "peak_flops",
    "refuse_large_weights",
]

PEAK_SECONDS = 0.1  # of measuring, for each size
PEAK_SIZES = {"cpu": (512, 1024), "cuda": (4096, 8192)}  # of the matrices that are multiplied

LEAST_BYTES = 12  # of a parameter that is learned, beside itself: a gradient and two moments

TOTAL = "total."  # before the names of sums that are no predictions


class ModelFlops:
    """Counts the operations of batches; frozen layers run forward only.

    Args:
        model: its parameters are frozen already where they are to be.
    """

    def __init__(self, model: Model) -> None:
        self.model, self._num_layers = model, 0
        self.networks = self._counted()
        networks = model.objective.networks
        self.heads = {
            name: matrix_flops(head)
            for name, head in model.objective.named_children()
            if name not in networks
        }

    @property
    def holds(self) -> bool:
        """Whether all networks give a formula."""
        return None not in self.networks

    def use_layers(self, num: int) -> None:
        """Count anew if the backbone computes by another number of layers now; 0: by all."""
        if num != self._num_layers:
            self._num_layers, self.networks = num, self._counted()

    def _counted(self) -> list[Flops | None]:
        networks = (self.model.backbone, *self.model.objective.networks.values())
        return [each.flops() for each in networks]

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


def refuse_large_weights(model: nn.Module, device: torch.device, num_processes: int) -> None:
    """Refuse a training whose gradients and moments alone are more than the memory.

    On a GPU the library says so at once; the system gives out memory that it does not have.

    Raises:
        SettingError: less is free.
    """
    if device.type != "cpu":
        return
    learned = sum(each.numel() for each in model.parameters() if each.requires_grad)
    refuse_without_memory(
        LEAST_BYTES * learned * num_processes,
        message("errors.room.network", parameters=learned),
        message("errors.room.network_remedy"),
    )


@contextmanager
def advised_on_memory(
    config: TrainingConfig, num_processes: int = 1, *, learned: bool = False
) -> Iterator[None]:
    """Turn "out of memory" of any device into a SettingError with advice.

    Args:
        config: of the training.
        num_processes: that share it.
        learned: whether there is something to resume.
    """
    advice = _advice(config, num_processes, learned)
    try:
        yield
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise SettingError(f"There is not enough memory; {advice}") from error
    except RuntimeError as error:
        if not any(sign in str(error) for sign in MEMORY_SIGNS):
            raise
        raise SettingError(f"There is not enough memory; {advice}") from error


def _advice(config: TrainingConfig, num_processes: int, learned: bool) -> str:
    """What to lower where the memory is too small, and is not so low already."""
    usual = "all of a step" if config.batch_tokens else config.batch_examples
    now = config.micro_batch_examples or usual
    more = {"none": "'optimizer' or 'full'", "optimizer": "'full'"}.get(config.sharding)
    to_set = [
        *([] if config.gradient_checkpointing else ["training.gradient_checkpointing = true"]),
        *([f"training.sharding = {more}"] if more and num_processes > 1 else []),
    ]
    fewer = f"lower training.micro_batch_examples, now {now} (the result stays the same)"
    remedies = [*([] if now == 1 else [fewer]), *([f"set {' or '.join(to_set)}"] if to_set else [])]
    found = ", or ".join(remedies) or "give shorter rows, or take a smaller network"
    return f"{found}{' and go on with --resume from the last checkpoint' * learned}."


class Work(NamedTuple):
    """What a batch takes."""

    tokens: int  # that are read, padding not counted
    flops: int


class WorkCounter:
    """Counts what each batch takes, in all processes together.

    Args:
        model: that is trained.
        flops: of the model.
        frozen: the states that need not be computed again.
        processes: that share the batches.
    """

    def __init__(
        self, model: Model, flops: ModelFlops, frozen: FrozenStates, processes: Processes
    ) -> None:
        self.model, self.flops, self.frozen = model, flops, frozen
        # Of a batch that every process has as a whole, each counts all.
        self.totals = None if model.objective.compares_examples else Totals(processes)

    def of(self, part: Part) -> tuple[Mapping[str, int], Work]:
        """Return the predictions of a whole batch, by part of the loss, and what it takes."""
        counts = self.model.objective.counts(part.batch)
        computed = part.batch.cut(part.num_parts)
        flops = self.flops.of(computed, counts, knows_states=self.frozen.is_complete)
        work = Work(part.batch.inputs.num_tokens, flops)
        if self.totals is None:
            return counts, work
        counted = {**counts, **{TOTAL + name: n for name, n in work._asdict().items()}}
        totals = self.totals.of(counted if part.rows else dict.fromkeys(counted, 0))
        work = Work(*(totals.pop(TOTAL + name) for name in Work._fields))
        return totals, work
